#!/bin/sh
# The old form of answers: a decision at the top.
if jq -e '.tool_input.command | test("curl")' >/dev/null; then
  echo '{"decision": "block", "reason": "no downloads here"}'
else
  echo '{"decision": "approve"}'
fi
