/** What the comparison on a proxy's page shows for each pair of addresses; requests may be answered by made-up records. */

export async function run({ open, base }, { path, pairs, records = {} }) {
  const { page, complaints } = await open(path);
  for (const [address, record] of Object.entries(records)) {
    await page.route(`**/${address}`, (route) => route.fulfill({ json: record }));
  }
  const shown = [];
  for (const [before, after] of pairs) {
    await page.locator("#compare-before").fill(before);
    if (after) await page.locator("#compare-after").fill(after);
    await page.locator("[data-found]").evaluate((found) => found.replaceChildren());
    await page.locator("[data-compare] button").click();
    await page.waitForFunction(() => {
      const place = document.querySelector("[data-compare]");
      const status = place.querySelector("[role=status]").textContent;
      return place.querySelector("[data-found] pre") || status && status !== place.dataset.asking;
    });
    shown.push({
      parts: await page.locator("[data-found] pre").allTextContents(),
      added: await page.locator("[data-found] .added").count(),
      removed: await page.locator("[data-found] .removed").count(),
      status: await page.locator("[data-compare] [role=status]").textContent(),
    });
  }
  return { shown, complaints, base };
}
