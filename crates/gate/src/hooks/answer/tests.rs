use pointsman_model::{Millis, RuleText};
use pointsman_process::Output as Stream;

use super::super::wish::HookUpdate;
use super::*;

fn finished(end: End, stdout: &str, stderr: &str) -> Finished {
    let stream = |text: &str| {
        let mut stream = Stream::with_limit(100_000);
        stream.push(text.as_bytes());
        stream
    };
    Finished {
        end,
        stdout: stream(stdout),
        stderr: stream(stderr),
        took: Millis(1),
    }
}

/// What was said, as one line.
fn told(event: HookEvent, end: End, stdout: &str, stderr: &str) -> String {
    let said = read(event, &finished(end, stdout, stderr));
    let mut line = format!("{:?}", said.came).to_lowercase();
    if !said.text.is_empty() {
        line.push_str(&format!(": {}", said.text));
    }
    if let Some(updated) = said.updated {
        line.push_str(&format!(" -> {}", updated.as_str()));
    }
    for Update {
        update,
        destination,
    } in said.updates
    {
        let update = match update {
            HookUpdate::AddRules { behavior, rules } => {
                let rules: Vec<&str> = rules.iter().map(RuleText::as_str).collect();
                format!("{behavior} {}", rules.join(" "))
            }
            HookUpdate::SetMode(mode) => format!("mode {mode}"),
            HookUpdate::AddDirectories(folders) => format!("folders {}", folders.join(" ")),
            HookUpdate::TakeBack(kind) => kind.into(),
        };
        line.push_str(&format!(" +{update} ({destination})"));
    }
    if let Some(context) = said.context {
        line.push_str(&format!(" context: {context}"));
    }
    if let Some(output) = said.output {
        line.push_str(&format!(" output: {output}"));
    }
    if let Some(stray) = said.stray {
        line.push_str(&format!(" stray: {stray}"));
    }
    match said.after {
        AfterNo::GoesOn => {}
        AfterNo::Stops => line.push_str(" and stops"),
        AfterNo::AsksAgain => line.push_str(" and again"),
    }
    line
}

#[track_caller]
fn pre(code: i32, stdout: &str, stderr: &str, expect: &str) {
    let line = told(HookEvent::PreToolUse, End::Exited(code), stdout, stderr);
    assert_eq!(line, expect, "exit {code}, {stdout:?}, {stderr:?}");
}

#[track_caller]
fn request(code: i32, stdout: &str, expect: &str) {
    let line = told(HookEvent::PermissionRequest, End::Exited(code), stdout, "");
    assert_eq!(line, expect, "exit {code}, {stdout:?}");
}

fn decision(decision: &str, more: &str) -> String {
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}"{more}}}}}"#
    )
}

fn behavior(behavior: &str, more: &str) -> String {
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"{behavior}"{more}}}}}}}"#
    )
}

#[test]
fn silence_and_plain_text_are_no_vote() {
    pre(0, "", "", "nothing");
    pre(0, " \n", "", "nothing");
    let text = "nothing stray: it wrote text, which is no answer";
    pre(0, "all fine here", "a warning", text);
    pre(0, "checked {3} files", "", text);
    pre(0, "{}", "", "nothing");
    pre(0, r#"  {"systemMessage":"seen"}"#, "", "nothing: seen");
}

#[test]
fn decisions_are_taken_with_their_reasons() {
    let reason = r#","permissionDecisionReason":"since""#;
    pre(0, &decision("allow", reason), "", "allow: since");
    pre(0, &decision("deny", reason), "", "deny: since");
    pre(0, &decision("ask", reason), "", "ask: since");
    pre(0, &decision("defer", ""), "", "ask");
    pre(0, r#"{"decision":"approve"}"#, "", "allow");
    pre(
        0,
        r#"{"decision":"block","reason":"old form"}"#,
        "",
        "deny: old form",
    );
    let both = |old: &str, new: &str| {
        format!(
            r#"{{"decision":"{old}","reason":"old","hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{new}","permissionDecisionReason":"new"}}}}"#
        )
    };
    pre(0, &both("block", "allow"), "", "deny: old");
    pre(0, &both("block", "ask"), "", "deny: old");
    pre(0, &both("block", "deny"), "", "deny: new");
    pre(0, &both("approve", "ask"), "", "ask: new");
    let more = r#","permissionDecisionReason":"since","unknown":[1]"#;
    pre(0, &decision("deny", more), "", "deny: since");
}

#[test]
fn exit_two_blocks_whatever_was_written() {
    pre(2, "", "no pushing\n", "deny: no pushing");
    pre(2, &decision("allow", ""), "no", "deny: no");
    pre(2, "{\"broken", "no", "deny: no");
    let reason = r#","permissionDecisionReason":"the json reason""#;
    pre(2, &decision("deny", reason), "", "deny: the json reason");
    pre(2, "", "", "deny: it ended with code 2, which blocks");
}

#[test]
fn law_15_another_exit_is_never_a_yes() {
    for code in [1, 3, 126, 127] {
        let failed = format!("failed: it ended with code {code}");
        pre(code, "", "", &failed);
        pre(code, &decision("allow", ""), "", &failed);
        pre(code, "{}", "", &failed);
        pre(
            code,
            "",
            "line one\nTypeError: x\n",
            &format!("{failed}: TypeError: x"),
        );
        // Where it could still say that it minds, it is heard.
        pre(code, &decision("deny", ""), "", "deny");
        pre(code, &decision("ask", ""), "", "ask");
    }
}

#[test]
fn law_15_what_can_not_be_read_is_a_failure() {
    let failed = |stdout: &str| {
        let line = told(HookEvent::PreToolUse, End::Exited(0), stdout, "");
        assert!(line.starts_with("failed: "), "{stdout}: {line}");
    };
    failed("{");
    failed(r#"{"continue":"no"}"#);
    failed("{} trailing");
    failed(&decision("maybe", ""));
    failed(&decision("allow", r#","updatedInput":"rm""#));
    failed(r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#);
    failed(r#"{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow"}}"#);
    failed(
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#,
    );
}

/// Readers that fill a struct from a list, by the order of its fields, would find an allow in each.
#[test]
fn law_15_lists_and_maps_in_the_place_of_objects_and_words_are_failures() {
    let lists = [
        r#"{"hookSpecificOutput":["PreToolUse","allow",null,null,null,null,null,null,null]}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":{"allow":null}}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":["allow"]}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":{"PreToolUse":null},"permissionDecision":"allow"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedPermissions":[["addRules",[],"allow",null,[],null]]}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedPermissions":[{"type":"addRules","behavior":"allow","rules":[["Bash",null]]}]}}"#,
        r#"{"decision":{"approve":null}}"#,
    ];
    for text in lists {
        let line = told(HookEvent::PreToolUse, End::Exited(0), text, "");
        assert!(line.starts_with("failed: "), "{text}: {line}");
        let said = read_line(HookEvent::PreToolUse, text.as_bytes());
        assert_eq!(said.came, HookCame::Failed, "{text}");
    }
    // A line and a body are read from their first byte on.
    let whole = r#"[null,null,null,"approve",null,null]"#;
    for said in [
        read_line(HookEvent::PreToolUse, whole.as_bytes()),
        read_response(HookEvent::PreToolUse, 200, whole.as_bytes()),
    ] {
        assert_eq!(said.came, HookCame::Failed);
    }
    for decision in [
        r#"["allow",null,null,null,null]"#,
        r#"{"behavior":{"allow":null}}"#,
        r#"{"behavior":["allow"]}"#,
    ] {
        let text = format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{decision}}}}}"#
        );
        let line = told(HookEvent::PermissionRequest, End::Exited(0), &text, "");
        assert!(line.starts_with("failed: "), "{text}: {line}");
    }
    let streams =
        r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":["a","b"]}}"#;
    let line = told(HookEvent::PostToolUse, End::Exited(0), streams, "");
    assert!(line.starts_with("failed: "), "{line}");
}

/// Each would have said no, or meant to. A plain hook's is no vote and shown; what a guard's comes to is tried with
/// real programs.
#[test]
fn law_15_what_was_to_be_an_answer_is_not_passed_over() {
    let deny = decision("deny", "");
    let bytes = |bytes: &[u8]| {
        let mut ended = finished(End::Exited(0), "", "");
        ended.stdout.push(bytes);
        read(HookEvent::PreToolUse, &ended)
    };
    for (case, text) in [
        ("a byte order mark", format!("\u{feff}{deny}")),
        ("a NUL", format!("\0{deny}")),
        ("a NUL behind it", format!("{deny}\0")),
        ("a line before it", format!("checking\n{deny}")),
        ("a list around it", format!("[{deny}]")),
        ("an empty list", "[]".to_owned()),
        ("two of them", format!("{deny}{deny}")),
    ] {
        let said = bytes(text.as_bytes());
        assert_eq!(said.came, HookCame::Failed, "{case}: {}", said.text);
    }
    let invalid = [&b"\xff"[..], deny.as_bytes()].concat();
    assert_eq!(bytes(&invalid).came, HookCame::Failed);
    // A no counts though its reason can't be read whole; a yes does not.
    let with = |decision_: &str| {
        let text = decision(decision_, r#","permissionDecisionReason":"X""#);
        let (before, after) = text.split_once('X').unwrap();
        [before.as_bytes(), b"\xff", after.as_bytes()].concat()
    };
    assert_eq!(bytes(&with("deny")).came, HookCame::Deny);
    assert_eq!(bytes(&with("allow")).came, HookCame::Failed);
}

#[test]
fn law_15_an_object_that_decides_nothing_says_why() {
    let stray = |key: &str| {
        format!(
            "nothing stray: it says `{key}`, which is no word of such an answer, and decides nothing"
        )
    };
    let unwrapped = r#"{"permissionDecision":"deny"}"#;
    pre(0, unwrapped, "", &stray("permissionDecision"));
    pre(0, r#"{"verdict":"deny"}"#, "", &stray("verdict"));
    let cased =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissiondecision":"deny"}}"#;
    pre(0, cased, "", &stray("permissiondecision"));
    let of_another =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":{"behavior":"deny"}}}"#;
    pre(0, of_another, "", &stray("decision"));
    request(0, r#"{"decision":"block"}"#, &stray("decision"));
    let of_a_call = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","permissionDecision":"deny"}}"#;
    request(0, of_a_call, &stray("permissionDecision"));
    // Beside a decision they are passed over, and what is known is no stray.
    pre(0, &decision("deny", r#","note":1"#), "", "deny");
    pre(
        0,
        r#"{"suppressOutput":true,"turn":3,"continue":true}"#,
        "",
        "nothing",
    );
    let context =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"x"}}"#;
    pre(0, context, "", "nothing context: x");
}

#[test]
fn law_15_an_answer_that_was_cut_is_a_failure() {
    let mut cut = finished(End::Exited(0), "", "");
    cut.stdout = Stream::with_limit(40);
    cut.stdout.push(decision("allow", "").as_bytes());
    let said = read(HookEvent::PreToolUse, &cut);
    assert_eq!(said.came, HookCame::Failed);
    assert!(said.text.contains("more than a hook may"), "{}", said.text);
}

#[test]
fn law_15_signals_time_outs_and_stops_are_failures() {
    let allow = decision("allow", "");
    let ended = |end| told(HookEvent::PreToolUse, end, &allow, "");
    assert_eq!(
        ended(End::Signalled(11)),
        "failed: it was killed by signal 11"
    );
    assert_eq!(
        ended(End::TimedOut),
        "failed: it took longer than its time limit"
    );
    assert_eq!(ended(End::Stopped), "failed: it was stopped");
}

#[test]
fn continue_false_halts_whatever_else_is_said() {
    let halt = r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    pre(0, halt, "", "halt: enough");
    pre(1, halt, "", "halt: enough");
    pre(0, r#"{"continue":false}"#, "", "halt: it said to stop");
    pre(0, r#"{"continue":true}"#, "", "nothing");
}

#[test]
fn a_rewrite_is_the_whole_input_byte_for_byte() {
    let more = r#","updatedInput":{"command":"ls  -l","n":1.50}"#;
    let expect = r#"allow -> {"command":"ls  -l","n":1.50}"#;
    pre(0, &decision("allow", more), "", expect);
    let alone =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"x"}}}"#;
    pre(0, alone, "", r#"nothing -> {"command":"x"}"#);
    pre(
        0,
        &decision("allow", r#","updatedInput":null"#),
        "",
        "allow",
    );
}

#[test]
fn permission_requests_are_answered_by_behavior() {
    request(0, &behavior("allow", ""), "allow");
    request(
        0,
        &behavior("deny", r#","message":"not now","interrupt":true"#),
        "deny: not now and stops",
    );
    let updated = behavior("allow", r#","updatedInput":{"command":"ls"}"#);
    request(0, &updated, r#"allow -> {"command":"ls"}"#);
    request(0, "", "nothing");
    request(
        0,
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest"}}"#,
        "nothing",
    );
    request(
        0,
        &behavior("ask", ""),
        "failed: `ask` is no behavior: allow or deny",
    );
    // It can't be blocked by a code, and a failed one says no yes.
    request(2, "", "failed: it ended with code 2");
    request(1, &behavior("allow", ""), "failed: it ended with code 1");
    request(1, &behavior("deny", ""), "deny");
}

#[test]
fn rules_come_with_their_place() {
    let with = |update: &str| behavior("allow", &format!(r#","updatedPermissions":[{update}]"#));
    let rules = r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls *"},{"toolName":"Read"}],"behavior":"allow","destination":"localSettings"}"#;
    request(
        0,
        &with(rules),
        "allow +allow Bash(ls *) Read (localSettings)",
    );
    for (update, expect) in [
        (
            r#"{"type":"setMode","mode":"manual","destination":"session"}"#,
            "allow +mode default (session)",
        ),
        (
            r#"{"type":"addDirectories","directories":["/data","~/x"]}"#,
            "allow +folders /data ~/x (session)",
        ),
        (
            r#"{"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"userSettings"}"#,
            "allow +removeRules (userSettings)",
        ),
    ] {
        request(0, &with(update), expect);
    }
    for wrong in [
        r#"{"type":"grantRoot","destination":"session"}"#,
        r#"{"type":"setMode","mode":"yolo","destination":"session"}"#,
        r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"policySettings"}"#,
        r#"{"type":"addRules","rules":[{"toolName":"Bash"}]}"#,
    ] {
        let line = told(
            HookEvent::PermissionRequest,
            End::Exited(0),
            &with(wrong),
            "",
        );
        assert!(line.starts_with("failed: "), "{wrong}: {line}");
    }
}

#[track_caller]
fn row(event: HookEvent, code: i32, stdout: &str, expect: &str) {
    let line = told(event, End::Exited(code), stdout, "the reason");
    assert_eq!(line, expect, "{event:?}, exit {code}, {stdout}");
}

fn specific(event: HookEvent, fields: &str) -> String {
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"{}",{fields}}}}}"#,
        event.as_str()
    )
}

#[test]
fn told_hooks_object_add_and_replace() {
    use HookEvent::{
        Notification, PermissionDenied, PostToolUse, PostToolUseFailure, SessionStart, Stop,
        SubagentStart, SubagentStop,
    };
    for event in [PostToolUse, PostToolUseFailure, Stop, SubagentStop] {
        row(event, 2, "", "deny: the reason");
        row(event, 0, r#"{"decision":"block","reason":"r"}"#, "deny: r");
        row(
            event,
            0,
            r#"{"decision":"approve"}"#,
            "failed: `approve` is no decision here: only block is",
        );
        row(
            event,
            0,
            r#"{"continue":false,"stopReason":"enough"}"#,
            "halt: enough",
        );
    }
    // What is only told can't be blocked.
    for event in [Notification, SubagentStart, SessionStart, PermissionDenied] {
        row(event, 2, "", "failed: it ended with code 2: the reason");
    }
    for event in [PostToolUse, PostToolUseFailure, SubagentStart, SessionStart] {
        let context = specific(event, r#""additionalContext":"mind the gap""#);
        row(event, 0, &context, "nothing context: mind the gap");
    }
    row(
        SessionStart,
        0,
        "main is green\n",
        "nothing context: main is green",
    );
    row(
        Stop,
        0,
        "main is green",
        "nothing stray: it wrote text, which is no answer",
    );
    let output = specific(
        PostToolUse,
        r#""updatedToolOutput":{"stdout":"a","stderr":"b"}"#,
    );
    row(PostToolUse, 0, &output, "nothing output: ab");
}

#[test]
fn told_hooks_replace_what_a_tool_gave_and_let_ask_again() {
    use HookEvent::{PermissionDenied, PostToolUse};
    let output = specific(PostToolUse, r#""updatedToolOutput":7"#);
    row(
        PostToolUse,
        0,
        &output,
        "failed: its updatedToolOutput is neither a text nor has it a `stdout`",
    );
    let retry = specific(PermissionDenied, r#""retry":true"#);
    row(
        PermissionDenied,
        0,
        &retry,
        "nothing: it may be asked again and again",
    );
    let interrupt = behavior("deny", r#","message":"no","interrupt":true"#);
    row(
        HookEvent::PermissionRequest,
        0,
        &interrupt,
        "deny: no and stops",
    );
}

#[test]
fn an_address_answers_with_an_object_of_success() {
    let pre = |status, body: &str| {
        let said = read_response(HookEvent::PreToolUse, status, body.as_bytes());
        format!("{:?}: {}", said.came, said.text)
    };
    let deny = decision("deny", r#","permissionDecisionReason":"since""#);
    assert_eq!(pre(200, &deny), "Deny: since");
    assert_eq!(pre(201, &deny), "Deny: since");
    assert_eq!(pre(204, ""), "Nothing: ");
    assert_eq!(pre(200, " \n"), "Nothing: ");
    assert!(pre(200, "fine").starts_with("Failed: "));
    assert!(pre(200, "[1]").starts_with("Failed: "));
    assert!(pre(200, "{broken").starts_with("Failed: "));
    for status in [302, 400, 404, 429, 500, 503] {
        let failed = pre(status, &decision("allow", ""));
        assert!(
            failed.starts_with("Failed: it answered with status"),
            "{failed}"
        );
    }
}

/// Bytes that are no text, even in a key that nobody reads: what was to be a yes is none, what was to be a no is one.
#[test]
fn of_bytes_that_are_no_text_only_what_is_stricter_counts() {
    for (word, came) in [
        ("allow", HookCame::Failed),
        ("deny", HookCame::Deny),
        ("ask", HookCame::Ask),
    ] {
        let mut bytes = br#"{"x":"?","#.to_vec();
        bytes.extend_from_slice(&decision(word, "").as_bytes()[1..]);
        bytes[6] = 0xff;
        let line = read_line(HookEvent::PreToolUse, &bytes);
        let response = read_response(HookEvent::PreToolUse, 200, &bytes);
        assert_eq!((line.came, response.came), (came, came), "{word}");
    }
}

#[test]
fn long_texts_are_cut() {
    let said = read(
        HookEvent::PreToolUse,
        &finished(End::Exited(2), "", &"ü".repeat(20_000)),
    );
    assert_eq!(said.text.chars().count(), TEXT_CHARS_MAX + 4);
}

/// Of an answer that may belong to another line only what is stricter counts: no rewrite, no rule, no other try.
#[test]
fn a_no_that_names_no_line_keeps_nothing_that_loosens() {
    for came in [HookCame::Deny, HookCame::Ask, HookCame::Halt] {
        for (after, stays) in [
            (AfterNo::AsksAgain, AfterNo::GoesOn),
            (AfterNo::GoesOn, AfterNo::GoesOn),
            (AfterNo::Stops, AfterNo::Stops),
        ] {
            let said = Said {
                after,
                output: Some("else".into()),
                ..Said::plain(came, "no")
            };
            let left = unnamed(said, HookDuty::Plain);
            assert_eq!((left.came, left.after), (came, stays));
            assert!(!left.loosens());
        }
    }
}
