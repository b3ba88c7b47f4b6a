/**
 * Cloudflare's own runtime over a project as `statuary hosting cloudflare` sets it up, on loopback:
 *
 *     node cloudflare_server.mjs <node_modules> <project> <what wrangler.jsonc says>
 *
 * Writes the port when it is ready.
 */

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, project, text] = process.argv.slice(2);
const configuration = JSON.parse(text);
const require = createRequire(`${modules}/`);
const { Miniflare } = await import(pathToFileURL(require.resolve("miniflare")).href);

const folder = `${project}/${dirname(configuration.main)}`;
const entry = basename(configuration.main);
const others = readdirSync(folder).filter((name) => name !== entry);
const { directory, binding, not_found_handling, run_worker_first } = configuration.assets;
const runtime = new Miniflare({
  name: configuration.name,
  host: "127.0.0.1",
  port: 0,
  compatibilityDate: configuration.compatibility_date,
  compatibilityFlags: configuration.compatibility_flags ?? [],
  modulesRoot: folder,
  modules: [entry, ...others].map((name) => ({ type: "ESModule", path: `${folder}/${name}` })),
  assets: {
    directory: `${project}/${directory}`,
    binding,
    assetConfig: { not_found_handling },
    routerConfig: {
      has_user_worker: true,
      static_routing: {
        user_worker: run_worker_first.filter((rule) => !rule.startsWith("!")),
        asset_worker: run_worker_first.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1)),
      },
    },
  },
});
const { port } = await runtime.ready;
console.log(port);
process.on("SIGTERM", () => runtime.dispose().finally(() => process.exit()));
