#!/usr/bin/env python3
"""Keeps agents off files that people maintain by hand."""
import json
import sys

PROTECTED = (".env", "package-lock.json", "secrets/")

data = json.load(sys.stdin)
path = data.get("tool_input", {}).get("file_path", "")
if any(part in path for part in PROTECTED):
    print(
        json.dumps(
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": f"{path} is protected",
                }
            }
        )
    )
sys.exit(0)
