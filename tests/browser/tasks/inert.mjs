/** Whether anything on pages acted: ran a script, asked another host, opened a dialog, or broke the policy. */

export async function run({ open, base }, { paths }) {
  const acted = [], found = [];
  const { page, complaints, next } = await open(paths[0], {}, (page) => watchActs(page, base, acted), "load");
  for (const path of paths) {
    if (path !== paths[0]) await next(path);
    await page.waitForTimeout(50);
    await openEverything(page);
    for (const act of [...acted.splice(0), ...await marksOf(page), ...complaints.splice(0)]) found.push(`${path}: ${act}`);
  }
  return found;
}

/** Keeps what a page does that it must not. */
export async function watchActs(page, base, acted) {
  page.on("dialog", (dialog) => { acted.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) acted.push(`asked ${request.url()}`);
  });
  await page.addInitScript(() => { window.acted = []; });
}

/** Opens what is folded, and moves the pointer over the page. */
export async function openEverything(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  await page.mouse.move(200, 200);
}

/** Returns what stands on a page that could act, or has. */
export async function marksOf(page) {
  const marks = await page.evaluate(() => ({
    ran: window.acted.length,
    scripts: [...document.scripts].filter((script) => !script.src).length,
    handlers: [...document.querySelectorAll("*")].filter(
      (one) => [...one.attributes].some(({ name }) => name.startsWith("on") || name === "style")).length,
    images: [...document.images].filter((image) => !image.src.startsWith(location.origin)).length,
    links: [...document.links].filter(
      (link) => !["http:", "https:", "mailto:"].includes(link.protocol)).length,
  }));
  return Object.entries(marks).filter(([, count]) => count).map(([mark, count]) => `${count} ${mark}`);
}
