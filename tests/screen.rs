//! The full screen of the real program, at a terminal of its own whose cells are read back.

use std::time::{Duration, Instant};

use crate::desk::{CTRL_C, Desk, SEND};
use crate::ground::{ASKS, PATIENCE, Project, program};

#[test]
fn a_request_is_opened_read_and_allowed() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sees("Write");
    assert!(desk.parser.screen().alternate_screen());
    assert!(desk.parser.screen().bracketed_paste());
    desk.sends("\r").sees("asks asks").sees("│ + yes");
    desk.sends_until("a", "let r1-1 run");
    // Enter is no yes.
    desk.sends("\r\r").sends(SEND);
    let end = desk.ends();
    assert!(end.contains(", 0)"), "{end}");
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
    let screen = desk.parser.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste());
    assert!(!screen.hide_cursor());
    assert!(desk.text().contains("asks  done"), "{}", desk.text());
}

/// What sends the yes was typed before anybody could have seen what it sends.
#[test]
fn law_13_a_yes_typed_before_its_panel_is_shown_is_none() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sends("\r").sees("│ + yes");
    // Keys count from here on.
    desk.sends_until("d", "tell the agent:");
    desk.sends("\u{1b}").sees("a allow");
    let both = format!("a{SEND}");
    desk.sends(&both).sees("let r1-1 run");
    assert_eq!(project.questions(1), ["r1-1"]);
    desk.sends(SEND);
    desk.ends();
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
}

/// Half a dozen times over, since a key may come just before the screen looks at its clock anyway.
#[test]
fn a_key_in_a_panel_is_seen_at_once() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sends("\r").sees("│ + yes");
    let mut waits = Vec::new();
    for round in 0..7_u64 {
        desk.sends_until("a", "let r1-1 run");
        // Past the moment in which no key counts.
        std::thread::sleep(Duration::from_millis(400 + round * 130));
        desk.pump();
        let before = desk.text();
        let sent = Instant::now();
        desk.sends("j")
            .waits("another choice", |desk| desk.text() != before);
        waits.push(sent.elapsed());
        desk.sends_until("\u{1b}", "a allow");
    }
    waits.sort_unstable();
    // Keys that wait for the clock wait half a second in the middle.
    assert!(waits[3] < Duration::from_millis(400), "{waits:?}");
    desk.ends_by(CTRL_C);
}

/// A terminal that draws a sign wider than it is counted has cells that the screen knows nothing of.
#[test]
fn nothing_of_one_view_stays_on_the_next() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you");
    let leaves = |desk: &mut Desk| {
        desk.parser
            .process("\u{1b}[12;3Hdenied by nobody".as_bytes())
    };
    let views = [
        ("?", "any other key"),
        ("q", "1 waits for you"),
        ("\r", "│ + yes"),
        ("a", "let r1-1 run"),
        ("\u{1b}", "a allow"),
        ("t", "asks"),
    ];
    for (keys, wanted) in views {
        std::thread::sleep(Duration::from_millis(300));
        desk.pump();
        leaves(&mut desk);
        let gone =
            |desk: &Desk| desk.text().contains(wanted) && !desk.text().contains("denied by nobody");
        desk.sends(keys).waits(wanted, gone);
    }
    desk.ends_by(CTRL_C);
}

#[test]
fn a_no_with_words_reaches_the_agent() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sends("\r").sees("asks asks");
    desk.sends_until("d", "tell the agent:");
    desk.sends("write it to the log")
        .sees("write it to the log");
    desk.sends("\r");
    desk.ends();
    assert_eq!(project.read("asked.txt"), None);
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(why.out.contains("write it to the log"), "{}", why.out);
}

/// Jobs that each ask `steps` times to write a file of their own.
fn many(jobs: usize, steps: usize) -> String {
    let mut file = format!("slots = {jobs}\n");
    for job in 0..jobs {
        file.push_str(&format!("[[job]]\nname = \"job-{job}\"\n"));
        for step in 0..steps {
            file.push_str(&format!(
                "[[job.step]]\ntool = \"Write\"\ninput = {{ file_path = \"out/{job}-{step}.txt\", content = \"x\" }}\n"
            ));
        }
    }
    file
}

fn written(project: &Project) -> usize {
    std::fs::read_dir(project.root().join("out")).map_or(0, Iterator::count)
}

#[test]
fn typing_and_pasting_while_requests_arrive_approve_nothing() {
    let project = Project::with_job(&many(12, 2));
    let mut desk = Desk::at(&project);
    let words =
        "yes y a allow\r1 \t ok\r\u{1b}[B\u{1b}[A\r please go on, it is all right\r\ra\r \u{7f}e\r";
    let paste = format!("\u{1b}[200~{}\u{1b}[201~", "y\ra\u{19}yes\r ".repeat(1_250));
    // For as long as it takes all of them to ask, and for a while after: keys fall into every moment of it.
    let started = Instant::now();
    let (mut asked, mut rounds) = (false, 0);
    while !asked || rounds < 400 {
        assert!(started.elapsed() < PATIENCE, "{}", desk.text());
        desk.sends(words);
        if rounds % 50 == 25 {
            desk.sends(&paste);
        }
        desk.pump();
        asked |= desk.text().contains("12 wait for you") || desk.text().contains("11 more wait");
        rounds += 1;
        std::thread::sleep(Duration::from_millis(10));
    }
    // Out of whatever was opened, and then the whole run.
    let end = desk.ends_by(CTRL_C);
    assert!(end.contains("130"), "{end}");
    assert_eq!(written(&project), 0);
    let log = project.run(["log", "--json"]).expect_code(0);
    assert!(
        !log.out.contains(r#""kind":"allow","edited""#),
        "{}",
        log.out
    );
}

#[test]
fn a_storm_of_sizes_leaves_the_request_and_its_answer_as_they_are() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sends("\r").sees("asks asks");
    for round in 0_u16..150 {
        desk.resizes(10 + (round * 37) % 200, 2 + (round * 13) % 60);
        desk.sends("\u{1b}[B");
        desk.pump();
    }
    desk.resizes(80, 24);
    desk.sends("\u{c}").sees("asks asks").sees("│ + yes");
    desk.sends_until("a", "let r1-1 run");
    desk.sends(SEND);
    desk.ends();
    assert_eq!(project.read("asked.txt").as_deref(), Some("yes\n"));
}

#[test]
fn law_9_one_that_is_answered_elsewhere_says_so_and_takes_no_answer() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sends("\r").sees("asks asks");
    desk.sends_until("a", "let r1-1 run");
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    desk.ends();
    assert_eq!(project.read("asked.txt"), None);
}

#[test]
fn twenty_workers_sixty_requests_half_here_half_by_command() {
    let project = Project::with_job(&many(20, 3));
    let mut desk = Desk::at(&project);
    desk.sees("20 wait for you");
    let mut by_command = 0;
    let started = Instant::now();
    desk.sends("\r");
    while !desk.over {
        assert!(started.elapsed() < PATIENCE * 2, "{}", desk.text());
        // Whoever is behind answers next; when nobody is, both do, and may meet.
        let here = written(&project).saturating_sub(by_command);
        if here <= by_command || by_command == 30 {
            desk.sends("a");
            desk.pump();
            desk.sends(SEND);
        }
        if by_command < 30
            && by_command <= here
            && let Some(card) = project.queue().last()
        {
            let id = card["id"].as_str().unwrap();
            // The screen may be first; then it is a conflict or the same again.
            let ended = project.run(["answer", id, "allow", "--json"]);
            if ended.out.contains(r#""won""#) {
                by_command += 1;
            }
        }
        // The list when the queue ran dry for a moment; the next one when a command was first.
        let onward = ["nothing waits", "oldest first", "Enter next"];
        if onward.iter().any(|text| desk.text().contains(text)) {
            desk.sends("\r");
        }
        let paused = Instant::now();
        while paused.elapsed() < Duration::from_millis(120) && !desk.over {
            desk.pump();
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    assert_eq!(written(&project), 60);
    assert!((25..=35).contains(&by_command), "{by_command} of 60");
    let log = project.run(["log", "--json"]).expect_code(0);
    let kind = |kind: &str| {
        let objects = log.objects();
        let of_kind = objects
            .iter()
            .filter(|object| object["body"]["kind"] == kind);
        of_kind.count()
    };
    assert_eq!((kind("request_opened"), kind("request_closed")), (60, 60));
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_what_is_typed_meanwhile_says_no_yes() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::of_shell(&project);
    desk.sends(&format!("{} run job.toml\r", program().display()));
    desk.sees("1 waits for you");
    // A key that was sent twice, since the first took its time, may have left the request again.
    let in_request = |key: &'static str| {
        move |shown: &str| {
            if shown.contains("Enter open the") {
                "\r"
            } else {
                key
            }
        }
    };
    for (round, with_it) in [(1, ""), (2, SEND)] {
        desk.sends_as_shown(in_request("a"), "let r1-1 run");
        // In one go with the key, or with the command that comes back: neither is for the panel.
        desk.sends(&format!("\u{1a}{with_it}{with_it}"));
        desk.waits("the shell is back", |desk| {
            !desk.parser.screen().alternate_screen()
        });
        let said = format!("typed-{round}4");
        desk.sends(&format!("\u{15}echo typed-$(({round}0 + 4))\r"));
        desk.sees(&said);
        desk.sends(&format!("fg\r{SEND}{SEND}"));
        desk.waits("the screen is back", |desk| {
            desk.parser.screen().alternate_screen() && desk.text().contains("let r1-1 run")
        });
        // Keys are taken in order: when this one is through, those before it are.
        desk.sends_as_shown(in_request("\u{1b}"), "a allow");
    }
    desk.sends_as_shown(in_request("d"), "tell the agent:");
    desk.sends("\r").sees("asks  done");
    assert_eq!(project.read("asked.txt"), None);
    desk.ends_by("exit\r");
}

/// Without a shell that could let it go on, the program would hang for good.
#[test]
fn ctrl_z_without_a_shell_behind_the_screen_stops_nothing() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you");
    desk.sends("\u{1a}")
        .sees("no shell waits behind this screen");
    desk.ends_by(CTRL_C);
}

#[test]
fn a_job_that_waits_is_stopped_at_the_screen() {
    let later = "[[job]]\nname = \"later\"\nneeds = [\"asks\"]\n[[job.step]]\ntool = \"Write\"\ninput = { file_path = \"later.txt\", content = \"x\" }\n";
    let project = Project::with_job(&format!("{ASKS}{later}"));
    for attached in [false, true] {
        let run = if attached { "run-2" } else { "run-1" };
        let mut desk = if attached {
            let detached = ["run", "--detach", "--attended", "job.toml"];
            project.run(detached).expect_code(0);
            Desk::of(&project, ["attach"])
        } else {
            Desk::at(&project)
        };
        desk.sees("1 waits for you").sees("not started");
        desk.sends("\t").sends("\x1b[F");
        desk.sends_until("s", "stop the job later");
        desk.sends("stop\r").sees("■ later");
        let id = run.replace("run-", "r") + "-1";
        project.run(["answer", &id, "deny"]).expect_code(0);
        desk.ends();
        let log = project.run(["log", "--run", run]).expect_code(0).out;
        let told = "a person at the terminal stops the job `later`";
        assert!(log.contains(told), "{log}");
        assert_eq!(project.read("later.txt"), None);
    }
}

/// Nor does what they go on writing come to the shell behind the screen.
#[test]
fn a_screen_whose_run_ends_under_somebody_who_types_on_gives_the_terminal_back() {
    let project = Project::with_job(ASKS);
    let mut desk = Desk::at(&project);
    desk.sees("1 waits for you").sends("\r").sees("asks asks");
    desk.sends_until("d", "tell the agent:");
    desk.sends("keep off it").sees("keep off it");
    project.run(["answer", "r1-1", "deny"]).expect_code(0);
    desk.sends_until("x", "the screen closes");
    let end = desk.ends_by("x");
    assert!(end.contains(", 0)"), "{end}");
    let screen = desk.parser.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste());
    assert!(!screen.hide_cursor());
    let why = project.run(["why", "c1-1"]).expect_code(0);
    assert!(!why.out.contains("keep off it"), "{}", why.out);
}
