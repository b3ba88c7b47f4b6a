/**
 * Answers many requests in one process, from a site in memory.
 *
 *     deno run answer_all.js < questions.json > answers.json
 *
 * Questions: `site` (documents by path), `cases` (method, target, headers, now, chunk: how many bytes of a document
 * arrive at a time), `digests` (answer with SHA-256 in place of bodies). Answers, in the same order: null, or
 * status, headers, body; an error is `{"failed": …}`.
 */

import { answerRequest } from "../../src/statuary/edge/answer-request.js";

const { site, cases, digests = false } = JSON.parse(await new Response(Deno.stdin.readable).text());
const encoder = new TextEncoder();
const documents = new Map(Object.entries(site).map(([path, text]) => [path, encoder.encode(text)]));

function reader(chunk) {
  return (path) => {
    const bytes = documents.get(path);
    if (!bytes) return Promise.resolve(null);
    const body = chunk ? new ReadableStream(pieces(bytes, chunk)) : bytes;
    return Promise.resolve(new Response(body, { headers: { ETag: `"${path.length}-${bytes.length}"` } }));
  };
}

function pieces(bytes, size) {
  let at = 0;
  return {
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += size));
    },
  };
}

async function answered({ method = "GET", target, headers = {}, now, chunk }) {
  const request = new Request(`https://site.example${target}`, { method, headers });
  const host = { read: reader(chunk), ...now && { now: () => Date.parse(now) } };
  const response = await answerRequest(request, host);
  if (!response) return null;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const described = { status: response.status, headers: Object.fromEntries(response.headers) };
  return digests ? { ...described, sha256: await sha256(bytes) } : { ...described, body: new TextDecoder().decode(bytes) };
}

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const answers = [];
for (const one of cases) {
  try {
    answers.push(await answered(one));
  } catch (error) {
    answers.push({ failed: String(error) });
  }
}
await new Response(JSON.stringify(answers)).body.pipeTo(Deno.stdout.writable);
