/**
 * Reads records from packs in memory, and counts what is asked of the host.
 *
 *     deno run packed_reads.js < questions.json > answers.json
 *
 * Questions: `publications` (files by path, in base64; one after the other), and `steps`: the number of the publication that
 * is served from then on, or a path that is read. Answers: for each path its SHA-1 or null or the error, and what was asked.
 */

import { sha1 } from "../../src/statuary/edge/answers.js";
import { PackMemory, SitePacks } from "../../src/statuary/edge/packed-read.js";

const { publications, steps, age } = JSON.parse(await new Response(Deno.stdin.readable).text());
const memory = new PackMemory(age);
let files = publications[0];
let asked = [];

function bytesOf(path, range) {
  asked.push(range ? `${path} in part` : path);
  const body = files[path];
  return body === undefined ? null : Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}

function read(path) {
  const body = bytesOf(path, false);
  return Promise.resolve(body && new Response(body));
}

function fetch(url, { headers }) {
  const body = bytesOf(url.pathname.slice(1), true);
  const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.Range);
  const part = body?.subarray(Number(start), Number(last) + 1);
  return Promise.resolve(new Response(part, { status: body ? 206 : 404 }));
}

const answers = [];
for (const step of steps) {
  if (typeof step === "number") {
    files = publications[step];
    continue;
  }
  asked = [];
  const packs = new SitePacks(read, fetch, "https://site.example/", memory);
  let found;
  try {
    const response = await packs.read(step);
    found = response && await sha1(new Uint8Array(await response.arrayBuffer()));
  } catch (error) {
    found = error.message;
  }
  answers.push([found, asked]);
}
console.log(JSON.stringify(answers));
