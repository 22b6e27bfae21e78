#!/usr/bin/env python3
"""Answers questions about the build, and remembers that for the session."""
import json
import sys

data = json.load(sys.stdin)
command = data.get("tool_input", {}).get("command", "")
if data["hook_event_name"] == "PermissionRequest" and command.startswith("make "):
    rule = {"toolName": "Bash", "ruleContent": "make *"}
    decision = {
        "behavior": "allow",
        "updatedPermissions": [
            {"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"}
        ],
    }
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
