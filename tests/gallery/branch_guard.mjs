#!/usr/bin/env node
// No pushing to main; a person looks at any other push.
import { readFileSync } from "node:fs";

const { tool_name: tool, tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
const say = (permissionDecision, permissionDecisionReason) =>
  console.log(
    JSON.stringify({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason },
      suppressOutput: true,
    }),
  );

if (tool === "Bash" && /\bgit\s+push\b/.test(input.command)) {
  if (/\b(main|master)\b/.test(input.command)) say("deny", "pushes to main go through review");
  else say("ask", "a push leaves this machine");
}
