/**
 * Cloudflare's own runtime over one module, on loopback:
 *
 *     node worker_server.mjs <node_modules> <module> <its variables as JSON>
 *
 * Writes the port when it is ready.
 */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, module, variables] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { Miniflare } = await import(pathToFileURL(require.resolve("miniflare")).href);

const runtime = new Miniflare({
  host: "127.0.0.1",
  port: 0,
  compatibilityDate: "2025-01-01",
  modules: [{ type: "ESModule", path: module }],
  modulesRoot: module.slice(0, module.lastIndexOf("/")),
  bindings: JSON.parse(variables),
});
const { port } = await runtime.ready;
console.log(port);
process.on("SIGTERM", () => runtime.dispose().finally(() => process.exit()));
