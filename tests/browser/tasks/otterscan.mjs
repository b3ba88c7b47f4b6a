/**
 * What Otterscan shows at each of its paths, once every text that is expected there is shown, or after some
 * seconds without; a tab is chosen
 * first where one is named. It reaches nothing outside of this machine, and what it asks of there is in the answer.
 */

export async function run({ open, base }, { visits, seconds }) {
  const outside = [];
  const { page, complaints } = await open("index.html", {}, async (page) => {
    await page.route("**/*", (route) => {
      const request = route.request();
      const { hostname, href } = new URL(request.url());
      if (hostname !== "127.0.0.1") {
        outside.push(href);
        return route.abort();
      }
      // Otterscan's host sends the one page at every path
      const isPage = request.resourceType() === "document" && href.startsWith(base);
      return isPage ? route.continue({ url: `${base}index.html` }) : route.continue();
    });
  }, "load");
  const shown = [];
  for (const { path, expected, tab } of visits) {
    await page.goto(base + path, { waitUntil: "load" });
    if (tab) await page.getByRole("tab", { name: tab }).click({ timeout: seconds * 1000 });
    const hasAll = (texts) => texts.every((text) => document.body.innerText.includes(text));
    await page.waitForFunction(hasAll, expected, { timeout: seconds * 1000 }).catch(() => {});
    shown.push(await page.evaluate(() => document.body.innerText));
  }
  return { shown, outside, errors: complaints.filter((text) => /^\w*Error\b/.test(text)) };
}
