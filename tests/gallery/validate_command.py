#!/usr/bin/env python3
"""Steers the agent to better commands: exit code 2 refuses, standard error tells it what to use."""
import json
import re
import sys

RULES = [
    (r"^grep\b(?!.*\|)", "use rg instead of grep"),
    (r"^find\s+\S+\s+-name\b", "use rg --files instead of find -name"),
]

try:
    data = json.load(sys.stdin)
except json.JSONDecodeError as error:
    print(f"this is no JSON: {error}", file=sys.stderr)
    sys.exit(1)

command = data.get("tool_input", {}).get("command", "")
if data.get("tool_name") != "Bash" or not command:
    sys.exit(0)

issues = [message for pattern, message in RULES if re.search(pattern, command)]
if issues:
    for message in issues:
        print(f"- {message}", file=sys.stderr)
    sys.exit(2)
