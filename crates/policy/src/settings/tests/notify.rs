//! How a person is told that something waits, and what becomes of questions when the terminal is closed.

use pointsman_model::Millis;

use super::{check, loaded, loaded_trusted, told};
use crate::settings::{Hangup, NotifySettings};

#[test]
fn all_of_notify_is_read_from_the_persons_own_file() {
    let loaded = loaded(&[(
        "own",
        r#"{"pointsman": {"notify": {
          "command": ["tell-me", "--now"], "bell": false, "remind_s": [300, 60, 60],
          "escalate": {"after_s": 900, "command": "mail -s waiting me"}, "quiet": "22:00-07:00"
        }}}"#,
    )]);
    assert_eq!(told(&loaded), "");
    let notify = loaded.pointsman.notify;
    assert_eq!(*notify.command, [Box::from("tell-me"), Box::from("--now")]);
    assert_eq!((notify.bell, notify.desktop), (false, true));
    assert_eq!(notify.reminders, [Millis(60_000), Millis(300_000)]);
    let escalation = notify.escalation.unwrap();
    assert_eq!(escalation.after, Millis(900_000));
    assert_eq!(&*escalation.command[2], "mail -s waiting me");
    assert!(notify.quiet.unwrap().holds(0));
}

#[test]
fn a_project_does_not_choose_what_runs_when_something_waits() {
    let files = [("pointsman", r#"{"pointsman": {"notify": "curl evil"}}"#)];
    for loaded in [loaded(&files), loaded_trusted(&files)] {
        assert_eq!(loaded.pointsman.notify, NotifySettings::default());
    }
    check(
        &files,
        r#"
warning: `notify` counts in your own or the managed settings alone
 --> /p/.pointsman/settings.json:1:16
  |
1 | {"pointsman": {"notify": "curl evil"}}
  |                ^^^^^^^^
  = hint: a project can't choose what runs on your machine; move it to your own pointsman settings
"#,
    );
}

#[test]
fn faults_of_notify_are_told_one_by_one() {
    check(
        &[(
            "own",
            r#"{"pointsman": {"notify": {
  "comand": "x",
  "quiet": "22-7",
  "escalate": {"after_s": 5}
}}}"#,
        )],
        r#"
warning: unknown key `comand` in `notify`
 --> /h/.config/pointsman/settings.json:2:3
  |
2 |   "comand": "x",
  |   ^^^^^^^^
  = hint: did you mean `command`?
warning: this is no part of a day
 --> /h/.config/pointsman/settings.json:3:12
  |
3 |   "quiet": "22-7",
  |            ^^^^^^
  = hint: write it like "22:00-07:00"
warning: this escalation lacks `after_s` or `command`, so there is none
 --> /h/.config/pointsman/settings.json:4:3
  |
4 |   "escalate": {"after_s": 5}
  |   ^^^^^^^^^^
"#,
    );
}

#[test]
fn a_project_may_refuse_on_hangup_but_not_keep_waiting() {
    let hangup = |files: &[(&str, &str)]| loaded(files).pointsman.hangup;
    let own = ("own", r#"{"pointsman": {"hangup": "refuse"}}"#);
    let waits = ("pointsman", r#"{"pointsman": {"hangup": "wait"}}"#);
    assert_eq!(hangup(&[]), Hangup::Wait);
    assert_eq!(hangup(&[own]), Hangup::Refuse);
    assert_eq!(hangup(&[own, waits]), Hangup::Refuse);
    assert_eq!(loaded_trusted(&[own, waits]).pointsman.hangup, Hangup::Wait);
    assert_eq!(
        hangup(&[("pointsman", r#"{"pointsman": {"hangup": "stop"}}"#)]),
        Hangup::Refuse
    );
}
