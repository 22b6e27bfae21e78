#!/usr/bin/env bash
# Writes a line for each call that ran, with its end.
set -euo pipefail
jq -c '{event: .hook_event_name, tool: .tool_name, input: .tool_input, session: .session_id}' \
  >>"$CLAUDE_PROJECT_DIR/audit.jsonl"
