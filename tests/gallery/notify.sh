#!/bin/sh
# Rings for a question that nobody answers; here into a file, elsewhere to the desktop.
jq -r '"\(.notification_type): \(.message)"' >>"$CLAUDE_PROJECT_DIR/notices.txt"
