#!/usr/bin/env python3
"""An agent does not stop before it has written its notes, and is told so once."""
import json
import os
import sys

data = json.load(sys.stdin)
notes = os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "NOTES.md")
if not data.get("stop_hook_active") and not os.path.exists(notes):
    print(json.dumps({"decision": "block", "reason": "write NOTES.md before you stop"}))
