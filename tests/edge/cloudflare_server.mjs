/**
 * Cloudflare's own runtime with the site as static assets and the worker before them, on loopback:
 *
 *     node cloudflare_server.mjs <node_modules> <edge folder> <site folder>
 *
 * Writes the port when it is ready.
 */

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, edge, site] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { Miniflare } = await import(pathToFileURL(require.resolve("miniflare")).href);

const scripts = readdirSync(edge).filter((name) => name.endsWith(".js"));
const [entry, ...others] = ["cloudflare.js", ...scripts.filter((name) => name !== "cloudflare.js")];
const runtime = new Miniflare({
  name: "statuary",
  host: "127.0.0.1",
  port: 0,
  compatibilityDate: "2026-06-01",
  modulesRoot: edge,
  modules: [entry, ...others].map((name) => ({ type: "ESModule", path: `${edge}/${name}` })),
  assets: {
    directory: site,
    binding: "ASSETS",
    routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
  },
});
const { port } = await runtime.ready;
console.log(port);
process.on("SIGTERM", () => runtime.dispose().finally(() => process.exit()));
