#!/usr/bin/env bash
# After an edit: refuses to be content with a Python file that does not compile.
input=$(cat)
file=$(jq -r '.tool_input.file_path // empty' <<<"$input")
case "$file" in
  *.py) ;;
  *) exit 0 ;;
esac
if ! errors=$(python3 -m py_compile "$file" 2>&1); then
  jq -n --arg reason "$errors" '{decision: "block", reason: ("does not compile: " + $reason)}'
fi
exit 0
