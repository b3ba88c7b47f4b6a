/**
 * Times one way of answering one selection of one record, again and again, from the first chunk to the last byte:
 *
 *     deno run --allow-read edge_cost.js <record> <way> <fields or omit>=<selectors> <rounds> <memory or file>
 *
 * The chunks, 64 KiB each, come from memory, or from the file for those who measure memory.
 *
 * Ways: `pass` sends the record on as it is, `slice` is the edge module, `parse` is JSON.parse and JSON.stringify
 * with the same selection. Writes first and median time in milliseconds and the bytes of one answer.
 */

import { selecting } from "../../src/statuary/edge/select.js";
import { parseSelection } from "../../src/statuary/edge/selectors.js";

const [path, way, query, rounds, from] = Deno.args;
const [parameter, selectors] = query.split("=");
const selection = parameter === "fields" ? parseSelection(selectors, "") : parseSelection("", selectors);

const ways = {
  pass: (source) => source,
  slice: (source) => source.pipeThrough(selecting(selection)),
  parse: async (source) => {
    const record = JSON.parse(await new Response(source).text());
    return new Response(JSON.stringify(picked(record))).body;
  },
};

function picked(record) {
  const { fields, omit } = selection;
  if (!fields) {
    return Object.fromEntries(Object.entries(record).flatMap(([name, value]) => kept(name, value, omit)));
  }
  const found = Object.fromEntries([...fields].map(([name, inner]) => [name, parts(record[name], inner)]));
  for (const name of ["matchId", "creationMatch", "runtimeMatch", "verifiedAt", "match", "chainId", "address"]) {
    found[name] = record[name];
  }
  return found;
}

function parts(value, inner) {
  return inner.length ? Object.fromEntries(inner.map((part) => [part, value[part]])) : value;
}

function kept(name, value, omit) {
  const inner = omit.get(name);
  if (!inner) return [[name, value]];
  return inner.length ? [[name, parts(value, Object.keys(value).filter((part) => !inner.includes(part)))]] : [];
}

const CHUNK = 65_536;
const held = from === "memory" ? await Deno.readFile(path) : new Uint8Array();

async function source() {
  if (from === "file") return (await Deno.open(path)).readable;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= held.length) return controller.close();
      controller.enqueue(held.slice(at, at += CHUNK));
    },
  });
}

async function once() {
  const begun = performance.now();
  let bytes = 0;
  for await (const chunk of await ways[way](await source())) bytes += chunk.length;
  return { milliseconds: performance.now() - begun, bytes };
}

const first = await once();
const others = [];
for (let round = 1; round < Number(rounds); round++) others.push((await once()).milliseconds);
others.sort((one, other) => one - other);
const median = others.length ? others[others.length >> 1] : first.milliseconds;
console.log(JSON.stringify({ first: first.milliseconds, median, bytes: first.bytes }));
