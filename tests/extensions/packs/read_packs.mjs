// Looks up paths in the packs of a site, and writes what was found and asked as JSON: `node read_packs.mjs MODULE SITE PATH…`
import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";

const [, , module, site, ...paths] = process.argv;
const { openPacks } = await import(module);
const asked = [];
const counted = async (url, options) => {
  const range = options?.headers?.Range ?? "";
  const response = await fetch(url, options);
  asked.push([range, Number(response.headers.get("Content-Length"))]);
  return response;
};
const packs = await openPacks(site, { decompress: zstdDecompressSync, fetch: counted });
const found = {};
for (const path of paths) {
  const before = asked.length;
  try {
    const body = await packs.find(path);
    found[path] = { sha256: body && createHash("sha256").update(body).digest("hex") };
  } catch (error) {
    found[path] = { error: error.message };
  }
  found[path].requests = asked.slice(before);
}
console.log(JSON.stringify(found));
