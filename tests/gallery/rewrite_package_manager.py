#!/usr/bin/env python3
"""This project uses pnpm: whoever types npm gets that, and nothing is decided by it."""
import json
import sys

data = json.load(sys.stdin)
tool_input = data["tool_input"]
command = tool_input.get("command", "")
if command.startswith("npm "):
    tool_input["command"] = "pnpm " + command[len("npm "):]
    print(
        json.dumps(
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "updatedInput": tool_input,
                    "additionalContext": "npm was replaced by pnpm",
                }
            }
        )
    )
