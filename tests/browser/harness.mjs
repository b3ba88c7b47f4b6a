/**
 * A browser over a site, on loopback. A task is a module whose `run` takes what is here and its question, and
 * returns what is written as JSON:
 *
 *     node harness.mjs <node_modules> <chromium> <site> <task> < question.json
 *
 * The site is served as plain files, compressed as hosts compress them, with the media type of their extension.
 */

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { createGzip } from "node:zlib";

const [modules, executablePath, site, task] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

function answer(request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://site").pathname);
  const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
  const type = TYPES[extname(file)] ?? "application/json; charset=utf-8";
  response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
  createReadStream(file).pipe(createGzip()).pipe(response);
}

const server = createServer(answer).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

/** Opens a page, waits until it has loaded or nothing is on its way, and returns it with its console's complaints. */
async function open(path, options = {}, before = () => {}, until = "networkidle") {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Zurich", ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await before(page, context);
  await page.goto(base + path, { waitUntil: until });
  return { page, context, complaints };
}

try {
  const { run } = await import(`./tasks/${task}.mjs`);
  const question = JSON.parse(readFileSync(0, "utf8"));
  const axe = () => readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  process.stdout.write(JSON.stringify(await run({ open, base, axe }, question)));
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections();
}
