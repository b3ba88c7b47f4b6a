/** Whether anything on pages acted: ran a script, asked another host, opened a dialog, or broke the policy. */

export async function run({ open, base }, { paths }) {
  const acted = [];
  let path = paths[0];
  const { page, complaints, next } = await open(path, {}, async (page) => {
    page.on("dialog", (dialog) => { acted.push(`${path}: dialog ${dialog.message()}`); dialog.dismiss(); });
    page.on("request", (request) => {
      if (!request.url().startsWith(base)) acted.push(`${path}: asked ${request.url()}`);
    });
    await page.addInitScript(() => { window.acted = []; });
  }, "load");
  for (path of paths) {
    if (path !== paths[0]) await next(path);
    await page.waitForTimeout(50);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await page.mouse.move(200, 200);
    const marks = await page.evaluate(() => ({
      ran: window.acted.length,
      scripts: [...document.scripts].filter((script) => !script.src).length,
      handlers: [...document.querySelectorAll("*")].filter(
        (one) => [...one.attributes].some(({ name }) => name.startsWith("on") || name === "style")).length,
      images: [...document.images].filter((image) => !image.src.startsWith(location.origin)).length,
      links: [...document.links].filter(
        (link) => !["http:", "https:", "mailto:"].includes(link.protocol)).length,
    }));
    for (const [mark, count] of Object.entries(marks)) if (count) acted.push(`${path}: ${count} ${mark}`);
    acted.push(...complaints.splice(0).map((complaint) => `${path}: ${complaint}`));
  }
  return acted;
}
