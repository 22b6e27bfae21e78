#!/bin/sh
# Plain text at the start of a session is for the agents.
echo "House rule: write tests first."
