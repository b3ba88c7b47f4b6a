/**
 * Netlify's own request chain over a project folder, on loopback:
 *
 *     node netlify_server.mjs <node_modules> <project>
 *
 * Writes the port when it is ready. `x-answered-by` names the part of the chain that responded.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const [modules, projectRoot] = process.argv.slice(2);
const home = `${modules}/@netlify/dev`;
const { module } = JSON.parse(readFileSync(`${home}/package.json`, "utf8"));
const { NetlifyDev } = await import(pathToFileURL(`${home}/${module}`).href);

const off = { enabled: false };
const chain = new NetlifyDev({
  projectRoot,
  aiGateway: off,
  blobs: off,
  database: off,
  environmentVariables: off,
  functions: off,
  geolocation: off,
  images: off,
  server: off,
});
await chain.start();

const server = createServer(async (request, response) => {
  const found = await chain.handleAndIntrospectNodeRequest(request);
  if (!found) return response.writeHead(404, { "x-answered-by": "nothing" }).end();
  response.writeHead(found.response.status, {
    ...Object.fromEntries(found.response.headers),
    "x-answered-by": found.type,
  });
  if (found.response.body) Readable.fromWeb(found.response.body).pipe(response);
  else response.end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
