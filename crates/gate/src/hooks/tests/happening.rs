//! Hooks that are told of what happens.

use super::*;

/// What a hook of this happening reads, without what every event tells, and what it comes to.
async fn told(ground: &Ground, happening: &Happening<'_>, lineage: &Lineage) -> (Value, Heard) {
    let seen = ground.path("told.json");
    let line = format!(
        r#"cat > {}; echo '{{"systemMessage":"seen"}}'"#,
        seen.display()
    );
    let hooks = ground.hooks(vec![hook(happening.event(), 1, &line)], Attended::Yes);
    let never = CancellationToken::new();
    let scene = HookScene {
        lineage,
        folder: &ground.root(),
        mode: PermissionMode::Default,
        effects: &Effects::default(),
        stop: &never,
    };
    let heard = match happening {
        Happening::SessionStarted { .. } | Happening::SessionEnds { .. } => {
            hooks.tell_of_run(ground.run, happening, &never).await
        }
        _ => hooks.tell(happening, &scene).await,
    };
    let mut payload: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    let fields = payload.as_object_mut().unwrap();
    assert_eq!(
        fields.remove("hook_event_name").unwrap(),
        happening.event().as_str()
    );
    for common in ["session_id", "transcript_path", "cwd", "pointsman"] {
        assert!(fields.remove(common).is_some(), "{common} is missing");
    }
    (payload, heard)
}

#[tokio::test]
async fn events_of_a_call_tell_what_existing_hooks_read() {
    let ground = Ground::new().await;
    let root = Lineage::root(ground.worker(1));
    let call = ground.request("ls").call;
    let (call, took) = (&call, Millis(12));
    let rows = [
        (
            Happening::Succeeded {
                call,
                text: "a",
                took,
            },
            serde_json::json!({"duration_ms": 12, "tool_response":
                {"stdout": "a", "stderr": "", "interrupted": false, "isImage": false}}),
        ),
        (
            Happening::Failed {
                call,
                error: "e",
                how: FailedHow::Interrupted,
                took,
            },
            serde_json::json!({"duration_ms": 12, "error": "e", "is_interrupt": true}),
        ),
        (
            Happening::Denied { call, reason: "r" },
            serde_json::json!({"reason": "r"}),
        ),
    ];
    for (happening, more) in rows {
        let mut expect = serde_json::json!({
            "permission_mode": "default", "tool_name": "Bash", "tool_use_id": "c1-1",
            "tool_input": {"command": "ls"},
        });
        let fields = expect.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let (payload, heard) = told(&ground, &happening, &root).await;
        assert_eq!(payload, expect);
        assert_eq!((heard.reports.len(), &*heard.reports[0].text), (1, "seen"));
    }
}

#[tokio::test]
async fn events_of_agents_and_runs_tell_what_existing_hooks_read() {
    let ground = Ground::new().await;
    let root = Lineage::root(ground.worker(1));
    let spawned = root.child(ground.worker(2));
    let stopping = |held_before| Stopping {
        last_words: "bye",
        held_before,
    };
    let rows = [
        (
            Happening::Stops(stopping(1)),
            &root,
            serde_json::json!({"permission_mode": "default", "stop_hook_active": true,
                "last_assistant_message": "bye", "background_tasks": [], "session_crons": []}),
        ),
        (
            Happening::Notified {
                message: "m",
                kind: "k",
            },
            &root,
            serde_json::json!({"permission_mode": "default", "message": "m", "notification_type": "k"}),
        ),
        (
            Happening::SessionStarted { source: "startup" },
            &root,
            serde_json::json!({"source": "startup"}),
        ),
        (
            Happening::SessionEnds { reason: "other" },
            &root,
            serde_json::json!({"reason": "other"}),
        ),
        (
            Happening::SubagentStarted,
            &spawned,
            serde_json::json!({"agent_id": "w1-2", "agent_type": "steps"}),
        ),
        (
            Happening::SubagentStops(stopping(0)),
            &spawned,
            serde_json::json!({"permission_mode": "default", "agent_id": "w1-2",
                "agent_type": "steps", "stop_hook_active": false, "last_assistant_message": "bye",
                "background_tasks": [], "session_crons": [], "agent_transcript_path": ""}),
        ),
    ];
    for (happening, lineage, expect) in rows {
        let (payload, _) = told(&ground, &happening, lineage).await;
        assert_eq!(payload, expect);
    }
}

#[tokio::test]
async fn hooks_of_other_events_are_on_record() {
    let ground = Ground::new().await;
    let lineage = Lineage::root(ground.worker(1));
    let call = ground.request("ls").call;
    let happening = Happening::Succeeded {
        call: &call,
        text: "a",
        took: Millis(1),
    };
    let _ = told(&ground, &happening, &lineage).await;
    ground.ledger.close().await;
    let reader = ground.ledger.reader().unwrap();
    let story = reader.call_story(call.id).unwrap().unwrap();
    assert_eq!(
        (&*story.told[0].event, story.told[0].hooks[0].came),
        ("PostToolUse", HookCame::Nothing)
    );
}
