/**
 * Writes a script or a style sheet to standard output in fewer bytes, or with `shared` the bundle of a module. Modules that
 * several bundles share are imported from files of their own:
 *
 *     node bundle.mjs '{"entry": "page.js", "banner": "// A title.", "shared": {"/path/of/keccak.js": "./keccak.js"}}'
 */

import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(`${process.env.NODE_PATH}/`);
const [esbuild, terser] = ["esbuild", "terser"].map(require);
const { entry, banner = "", shared } = JSON.parse(process.argv[2]);

const sharing = {
  name: "sharing",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const file = shared[resolve(resolveDir, path)];
      return file && { path: file, external: true };
    });
  },
};

const { outputFiles } = await esbuild.build({
  entryPoints: [entry],
  banner: { css: banner },
  bundle: Boolean(shared),
  format: "esm",
  minify: true,
  nodePaths: [process.env.NODE_PATH],
  plugins: shared ? [sharing] : [],
  target: "es2023",
  write: false,
});
const [{ text }] = outputFiles;
const options = { compress: { passes: 3 }, ecma: 2020, format: { preamble: banner || null }, module: true };
process.stdout.write(entry.endsWith(".css") ? text : `${(await terser.minify(text, options)).code}\n`);
