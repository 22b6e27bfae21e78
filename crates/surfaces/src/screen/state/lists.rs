//! What the lists and one-line views tell, and what they leave out.

use pointsman_ledger::{OrderGiven, RecordBody, RunOrder, StopAsked, WorkerEnd};
use pointsman_model::{Answerer, Lineage, RequestId, Surface, VerdictKind, WallTime, WorkerId};
use pointsman_swarm::{JobEnd, RunEvent};

use crate::fixture;
use crate::screen::before::Before;
use crate::screen::event::{Effect, Event};
use crate::screen::stage::{Stage, open, request_of, step};
use crate::socket::JobWire;

#[track_caller]
fn sees(stage: &Stage, text: &str) {
    assert!(stage.text().contains(text), "{text}\n{}", stage.text());
}

/// A run of so many jobs, each of which asks.
fn many(width: u16, height: u16, count: u32) -> Stage {
    let mut stage = Stage::new(width, height);
    for number in 1..=count {
        let job = Lineage::root(step(number, &format!("job-{number}")));
        stage.spawned(&job);
        stage.asks(request_of(number, &format!("make {number}"), &job));
    }
    stage
}

#[test]
fn a_list_says_how_much_of_it_is_out_of_view() {
    for (width, height) in [(80, 24), (120, 24), (120, 40)] {
        let mut stage = many(width, height, 60);
        let rows = |stage: &Stage| {
            let text = stage.text();
            let asks = text.matches(" make ").count();
            let agents = text.matches(" waits for you").count();
            (asks, agents)
        };
        let (asks, agents) = rows(&stage);
        // The leader is a row of the tree, too.
        let below = 60 - agents;
        sees(&stage, "requests, in order of arrival ─");
        sees(&stage, &format!("↓ {} more", 60 - asks));
        sees(&stage, &format!("↓ {below} more"));
        stage.press("<end>");
        sees(&stage, &format!("↑ {} above", 60 - asks));
        stage.press("<up>".repeat(asks).as_str());
        sees(&stage, &format!("↑ {} above, ↓ 1 more", 60 - asks - 1));
    }
    let stage = many(80, 24, 3);
    for sign in ["above", "more"] {
        assert!(!stage.text().contains(sign), "{}", stage.text());
    }
}

/// Nobody has chosen anything: new requests take no focus, and the last row says what each key would do all the same.
#[test]
fn before_the_first_key_the_last_row_says_what_to_press() {
    for (width, height) in [(80, 24), (120, 40)] {
        let docs = Lineage::root(step(1, "docs"));
        let fresh = || {
            let mut stage = Stage::with_jobs(width, height, &["docs", "later"]);
            stage.spawned(&docs);
            stage
        };
        let mut stage = fresh();
        sees(&stage, "nothing waits for you");
        sees(&stage, "Tab agents");
        stage.asks(request_of(1, "make", &docs));
        for key in ["↑↓ choose", "Enter open the first request", "? help"] {
            sees(&stage, key);
        }
        stage.see().press("<enter>");
        sees(&stage, "Bash would run in");
        // The same in the other list: what Enter and `s` do depends on what is chosen.
        let mut stage = fresh();
        stage.press("<tab>");
        sees(&stage, "s stop the run…");
        assert!(
            !stage.text().contains("Enter transcript"),
            "{}",
            stage.text()
        );
        stage.press("<down><down>");
        sees(&stage, "Enter transcript  s stop…");
        stage.press("<down>");
        sees(&stage, "↑↓ choose  s stop…");
    }
}

#[test]
fn a_tab_in_a_one_line_view_is_a_sign() {
    let docs = Lineage::root(step(1, "do\tcs"));
    let request = request_of(1, "rm\t-rf\tbuild", &docs);
    let mut stage = Stage::new(80, 24);
    stage.spawned(&docs).asks(request.clone());
    sees(&stage, "Bash rm⇥-rf⇥build");
    sees(&stage, "do⇥cs");
    stage.press("<enter>");
    // The call itself is as it would be written.
    sees(&stage, "│ rm  -rf build");
    sees(&stage, "runs `rm⇥-rf⇥build`");
}

#[test]
fn why_a_job_failed_stands_beside_it() {
    let docs = Lineage::root(step(1, "docs"));
    let why = "ended at step 2, Bash: error: (exit code 1)\n1 call done, 1 failed, 0 refused";
    let mut stage = Stage::with_jobs(80, 24, &["docs"]);
    stage.spawned(&docs);
    stage.worker_ends(WorkerId::new(fixture::run(), 1), WorkerEnd::Failed, why);
    sees(
        &stage,
        "failed  ended at step 2, Bash: error: (exit code 1)",
    );
    stage.take(Event::Run(RunEvent::JobEnded {
        job: "docs".into(),
        end: JobEnd::Failed { reason: why.into() },
    }));
    sees(
        &stage,
        "failed: ended at step 2, Bash: error: (exit code 1)",
    );
    sees(&stage, "1/1 jobs, 1 not well");
}

#[test]
fn the_name_of_an_agent_takes_no_more_room_than_it_needs() {
    let mut stage = Stage::with_jobs(100, 30, &["sec", "tests"]);
    let (sec, tests) = (
        Lineage::root(step(1, "sec")),
        Lineage::root(step(2, "tests")),
    );
    stage.spawned(&sec).spawned(&tests);
    stage.runs(&request_of(1, "sleep 600", &tests));
    sees(&stage, "   · sec    works");
    sees(&stage, "   ▶ tests  runs Bash sleep 600");
}

#[test]
fn the_request_under_the_cursor_is_laid_out_once_and_in_bounds() {
    let mut stage = Stage::new(120, 40);
    stage
        .asks(super::read_whole::write(1, "new\n"))
        .press("<down>");
    let rows = |stage: &Stage| stage.state.preview().unwrap().rows.as_ptr();
    sees(&stage, "r3-1, Enter opens it");
    let once = rows(&stage);
    stage.see().take(Event::Tick).see();
    assert_eq!(rows(&stage), once);
    let id = RequestId::new(fixture::run(), 1);
    stage.take(Event::Before(id, Before::Text("old\n".into())));
    sees(&stage, "│ - old");
    // The file that is there counts as the new content does.
    stage.take(Event::Before(id, Before::Text("x\n".repeat(20_000).into())));
    sees(&stage, "too long to be shown here");
}

#[test]
fn a_paste_that_has_no_room_says_so() {
    let mut stage = Stage::new(80, 24);
    stage
        .asks(fixture::request(1, "git push"))
        .press("<enter>d");
    stage.see().take(Event::Pasted("x".repeat(70_000)));
    sees(&stage, "at most 64 KiB; nothing was pasted");
    stage.see().take(Event::Pasted("no".into()));
    sees(&stage, "tell the agent: no");
}

#[test]
fn q_at_the_run_itself_says_what_ends_it() {
    let mut stage = Stage::new(80, 24);
    stage.press("q");
    sees(
        &stage,
        "Ctrl-C stops the run; a closed terminal leaves it on, for `pointsman attach`",
    );
}

#[test]
fn ctrl_z_pauses_in_every_view_and_what_is_drawn_after_it_is_to_be_seen_anew() {
    for keys in [
        "",
        "?",
        "s",
        "/",
        "<enter>",
        "<enter>a",
        "<enter>dno",
        "<enter>t",
    ] {
        let mut stage = Stage::new(80, 40);
        stage.asks(fixture::request(1, "git push"));
        stage.press(keys).press("<C-z>");
        assert_eq!(stage.effects.last(), Some(&Effect::Pause), "{keys}");
        // What is typed on is not for this screen.
        let (before, now) = (stage.text(), stage.now);
        stage.press("<C-c>a<C-y>q<esc>x");
        stage.now = now;
        assert_eq!((stage.text(), stage.answers()), (before, vec![]), "{keys}");
    }
    let mut stage = Stage::new(80, 40);
    stage
        .asks(fixture::request(1, "git push"))
        .press("<enter>a<C-z>");
    stage.take(Event::TakenBack);
    // One that was on its way still comes after the frame.
    for _ in 0..2 {
        stage.take(Event::Key(crate::screen::key::Key::Chord('y')));
        stage.take(Event::Drawn).wait(150);
    }
    assert_eq!(stage.answers(), []);
    stage.press("<C-y>");
    assert_eq!(stage.answers().len(), 1);
}

#[test]
fn a_filter_leaves_no_cursor_on_a_row_that_it_hides() {
    let mut stage = many(80, 24, 3);
    stage.press("<down>");
    sees(&stage, "Enter open the request");
    // It is on the first row, which is hidden now.
    stage.press("/make 3<enter>");
    sees(&stage, "Enter open the request");
    stage.press("<enter>");
    sees(&stage, "r3-3  job-3 asks");
    let mut stage = many(80, 24, 3);
    stage.press("<down>/nothing has this<enter>");
    assert!(!stage.text().contains("open the"), "{}", stage.text());
    // One that is written by a paste, too.
    let mut stage = many(80, 24, 3);
    stage.press("<down>/").take(Event::Pasted("make 2".into()));
    stage.press("<enter><enter>");
    sees(&stage, "r3-2  job-2 asks");
}

/// Equal ones share a row, which goes by those of them that are open.
#[test]
fn a_filter_finds_no_request_by_one_that_has_ended() {
    let mut stage = Stage::new(80, 24);
    let asked = [(1, "docs"), (2, "links")]
        .map(|(number, job)| request_of(number, "make it", &Lineage::root(step(number, job))));
    for request in &asked {
        stage.asks(request.clone());
    }
    stage.press("/docs<enter>");
    sees(&stage, "make it");
    stage.ends(
        &asked[0],
        Surface::Command,
        VerdictKind::Deny { text: None },
    );
    assert!(!stage.text().contains("make it"), "{}", stage.text());
    stage.press("/<esc>");
    sees(&stage, "make it");
}

/// Nothing is drawn on a terminal that is lent, and so nobody asks how long it took.
#[test]
fn what_came_since_the_last_frame_is_not_kept_without_an_end() {
    let docs = Lineage::root(step(1, "docs"));
    let mut stage = Stage::new(80, 24);
    for number in 1..=3_000 {
        let request = request_of(number, "make", &docs);
        stage.asks(request.clone());
        stage.ends(&request, Surface::Command, VerdictKind::Deny { text: None });
    }
    assert!(stage.state.take_fresh().len() < 3_000);
}

#[test]
fn a_filter_shows_whose_the_agents_are_that_it_lets_pass() {
    let docs = Lineage::root(step(1, "docs"));
    let other = Lineage::root(step(2, "other"));
    let links = docs.child(step(3, "links"));
    let mut stage = Stage::with_jobs(80, 24, &["docs", "other"]);
    stage.spawned(&docs).spawned(&other).spawned(&links);
    stage.press("<tab><down><down><down><down>/links<enter>");
    let text = stage.text();
    assert!(text.contains("docs  ") && text.contains("links"), "{text}");
    assert!(!text.contains("other"), "{text}");
    // The cursor is on the one that passes, not on the one that is there for it.
    stage.press("<enter>");
    assert!(
        stage.effects.contains(&Effect::Load(links.agent().worker)),
        "{:?}",
        stage.effects
    );
}

#[test]
fn the_id_is_whole_however_narrow_the_screen_is() {
    for width in 40..100 {
        let mut stage = many(width, 10, 30);
        stage.press("<down>".repeat(23).as_str()).press("<enter>");
        sees(&stage, "r3-23  job");
    }
}

#[test]
fn what_is_left_to_be_read_before_a_yes_is_told_while_it_is() {
    let docs = Lineage::root(step(1, "docs"));
    let long = request_of(1, &"echo line\n".repeat(60), &docs);
    let mut stage = Stage::new(80, 24);
    stage.asks(long).press("<enter>").see();
    sees(&stage, "before a yes");
    stage.press("<end>").see();
    sees(&stage, "to read before a yes");
    stage.press("<home>");
    for _ in 0..6 {
        stage.press("<pgdn>").see();
    }
    assert!(!stage.text().contains("before a yes"), "{}", stage.text());
}

#[test]
fn the_help_is_read_to_its_end_on_the_narrowest_screen() {
    let mut stage = Stage::new(40, 10);
    stage.press("?<end>");
    sees(&stage, "done, failed or halted");
    stage.press("<up><down>");
    sees(&stage, "done, failed or halted");
}

#[test]
fn a_request_that_has_ended_under_the_cursor_offers_no_opening() {
    let docs = Lineage::root(step(1, "docs"));
    let one = request_of(1, "make", &docs);
    let mut stage = Stage::new(120, 40);
    stage
        .spawned(&docs)
        .asks(one.clone())
        .asks(request_of(2, "make more", &docs))
        .press("<down>");
    sees(&stage, "Enter open the request");
    stage.ends(&one, Surface::Command, VerdictKind::Deny { text: None });
    stage.see();
    assert!(!stage.text().contains("Enter open"), "{}", stage.text());
    sees(&stage, "r3-1, which has ended");
    stage.press("<down>");
    sees(&stage, "Enter open the request");
}

#[test]
fn an_agent_whose_agents_live_waits_for_them_and_is_never_silent() {
    let docs = Lineage::root(step(1, "docs"));
    let links = docs.child(step(2, "links"));
    let mut stage = Stage::with_jobs(80, 24, &["docs"]);
    stage.spawned(&docs).spawned(&links).wait(75_000).see();
    sees(&stage, "· docs     waits for its agents");
    stage.worker_ends(links.agent().worker, WorkerEnd::Done, "mended");
    stage.see();
    assert!(!stage.text().contains("waits for its"), "{}", stage.text());
    stage.wait(75_000).see();
    sees(&stage, "… docs");
}

#[test]
fn an_agent_whose_stop_was_asked_for_says_so_until_it_has_ended() {
    let docs = Lineage::root(step(1, "docs"));
    let worker = docs.agent().worker;
    let mut stage = Stage::with_jobs(80, 24, &["docs"]);
    stage.spawned(&docs);
    stage.record(RecordBody::StopAsked(StopAsked {
        worker: Some(worker),
        reason: "enough".into(),
    }));
    stage.see();
    sees(&stage, "is being stopped");
    stage.worker_ends(worker, WorkerEnd::Stopped, "enough");
    stage.see();
    assert!(!stage.text().contains("being"), "{}", stage.text());
}

/// What a check kept to itself for a while comes later than what was asked after it.
#[test]
fn requests_stand_in_the_order_in_which_they_were_opened() {
    let mut stage = Stage::new(80, 24);
    for (number, opened_at) in [(419, 5_000), (170, 2_800), (171, 2_800), (12, 2_900)] {
        let mut request = fixture::request(number, &format!("make {number}"));
        request.opened_at = WallTime(opened_at);
        stage.take(Event::Shown(open(request)));
    }
    let text = stage.text();
    let at = |number: u32| text.find(&format!(" r3-{number} ")).unwrap();
    assert!(
        at(170) < at(171) && at(171) < at(12) && at(12) < at(419),
        "{text}"
    );
    // What the person is at stays where it is, whoever asked before it.
    stage.press("<down>");
    let mut late = fixture::request(9, "make 9");
    late.opened_at = WallTime(1_500);
    stage.take(Event::Shown(open(late)));
    let text = stage.text();
    let at = |number: u32| text.find(&format!(" r3-{number} ")).unwrap();
    assert!(at(170) < at(9) && at(9) < at(171), "{text}");
}

#[test]
fn a_skipped_job_of_another_process_is_told_once() {
    let mut stage = Stage::with_jobs(80, 24, &["bad", "dep"]);
    stage.take(Event::Jobs(vec![JobWire {
        name: "dep".into(),
        worker: None,
        tries: 0,
        state: "skipped".into(),
        text: Some("`bad` did not end well".into()),
    }]));
    sees(&stage, "skipped: `bad` did not end well");
    assert_eq!(stage.text().matches("did not end well").count(), 1);
    assert_eq!(stage.text().matches('`').count(), 2, "{}", stage.text());
}

#[test]
fn an_agent_that_is_paused_while_it_asks_shows_both() {
    let docs = Lineage::root(step(1, "docs"));
    let mut stage = Stage::with_jobs(80, 24, &["docs"]);
    stage.spawned(&docs).asks(request_of(1, "make", &docs));
    sees(&stage, "? docs  waits for you");
    stage.record(RecordBody::OrderGiven(OrderGiven {
        by: Answerer::Person {
            surface: Surface::Command,
        },
        order: RunOrder::Hold {
            worker: docs.agent().worker,
        },
    }));
    sees(&stage, "‖ docs  paused, waits for you");
}

#[test]
fn what_to_do_is_read_whole_on_a_narrow_screen() {
    let one = fixture::request(1, "one");
    let mut stage = Stage::new(80, 24);
    stage.asks(one.clone()).press("<enter>d<enter>");
    let why = "the answer can't be recorded: no space is left for the ledger `/home/somebody/.local/state/pointsman/ledger.db`: free some space and try again; nothing was answered";
    stage.take(Event::Refused(one.id, why.into()));
    sees(&stage, "r3-1 the answer");
    sees(
        &stage,
        "free some space and try again; nothing was answered",
    );
}

#[test]
fn rows_that_a_short_list_does_not_need_are_the_previews() {
    for (count, rows) in [(1, 3), (3, 3), (4, 7), (40, 17)] {
        let mut stage = many(120, 40, count);
        stage.press("<down>");
        let text = stage.text();
        let at = |wanted: &str| text.lines().position(|line| line.contains(wanted)).unwrap();
        let between = at("Enter opens it") - at("requests, in order of arrival") - 1;
        assert_eq!(between, rows, "{count}\n{text}");
    }
}
