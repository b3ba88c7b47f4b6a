/**
 * A browser over sites, on loopback. A task is a module whose `run` takes what is here and its question, and
 * returns what is written as JSON. Each line that is read names a site, a task and a question, and is answered by a line:
 *
 *     node harness.mjs <node_modules> <chromium>
 *
 * A site is served as plain files, compressed as hosts compress them, with the media type of their extension.
 */

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { createGzip } from "node:zlib";

const [modules, executablePath] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".atom": "application/atom+xml",
  ".rss": "application/rss+xml",
  ".ics": "text/calendar",
};

function serve(site, request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://site").pathname);
  const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
  const type = TYPES[extname(file)] ?? "application/json; charset=utf-8";
  response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
  createReadStream(file).pipe(createGzip()).pipe(response);
}

/** Returns what waits until a page asks for nothing while it draws ten frames: its own turns, not seconds of a busy machine. */
function watchRequests(page) {
  let asked = 0, open = 0;
  page.on("request", () => { asked += 1; open += 1; });
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, () => { open -= 1; });
  const draw = () => new Promise((done) => {
    const frame = (left) => left ? requestAnimationFrame(() => frame(left - 1)) : setTimeout(done, 20);
    frame(10);
  });
  return async () => {
    for (let before = -1; open > 0 || before !== asked;) {
      before = asked;
      await page.evaluate(draw);
    }
  };
}

async function answer(browser, { site, task, question }) {
  let served = site;
  const server = createServer((request, response) => serve(served, request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const base = `http://127.0.0.1:${server.address().port}/`;

  /**
   * Opens a page, waits until it has loaded or is quiet, and returns it with its console's complaints.
   * `next` leads it to another path, in the same process of the browser, which costs a third of a new page.
   */
  async function open(path, options = {}, before = () => {}, until = "quiet") {
    const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Zurich", ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const quiet = options.javaScriptEnabled === false ? () => {} : watchRequests(page);
    await before(page, context);
    const next = async (other) => {
      await page.goto(base + other, { waitUntil: until === "quiet" ? "load" : until });
      if (until === "quiet") await quiet();
    };
    await next(path);
    return { page, context, complaints, next, quiet };
  }

  try {
    const { run } = await import(`./tasks/${task}.mjs`);
    const replaceSite = (folder) => { served = folder; };
    return { found: await run({ open, base, axe: AXE, replaceSite }, question) };
  } catch (error) {
    return { error: error.stack };
  } finally {
    for (const context of browser.contexts()) await context.close();
    server.close();
    server.closeAllConnections();
  }
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(browser, JSON.parse(line)))}\n`);
}
await browser.close();
