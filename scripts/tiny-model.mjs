// Serves one small model on loopback as chat completions, for the opt-in test in tests/tiny_model.rs.
// usage: node tiny-model.mjs MODEL.gguf PORT   (started by scripts/tiny-model)
import http from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const [modelPath, port] = process.argv.slice(2);
const llama = await getLlama({ gpu: false, build: "never" });
const model = await llama.loadModel({ modelPath });

// One thread: more of them spin against each other on a small machine.
async function answer({ messages, max_tokens: maxTokens, max_completion_tokens: maxCompletion }) {
  const words = (role) => messages.filter((message) => message.role === role).map(({ content }) => content);
  const text = (content) =>
    typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
  const context = await model.createContext({ contextSize: 4096, threads: 1 });
  try {
    const session = new LlamaChatSession({
      contextSequence: context.getSequence(),
      systemPrompt: words("system").map(text).join("\n"),
    });
    return await session.prompt(words("user").map(text).join("\n"), {
      maxTokens: Math.min(maxTokens ?? maxCompletion ?? 200, 200),
    });
  } finally {
    await context.dispose();
  }
}

let turn = Promise.resolve();
const server = http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    turn = turn.then(async () => {
      const say = (status, body) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      try {
        const content = await answer(JSON.parse(Buffer.concat(chunks).toString("utf8")));
        const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content } };
        say(200, { id: "tiny", object: "chat.completion", model: "tiny", choices: [choice] });
      } catch (error) {
        say(500, { error: { message: String(error) } });
      }
    });
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log(`listening at http://127.0.0.1:${server.address().port}/v1`));
