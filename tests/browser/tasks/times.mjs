/** What the times of a page read in a zone, and what stands in their attributes. */

export async function run({ open }, { path, timezoneId, selector }) {
  const { page } = await open(path, { timezoneId });
  const times = await page.locator(selector).evaluateAll(
    (all) => all.map((time) => ({ datetime: time.dateTime, text: time.textContent })));
  return { times, note: await page.locator("#zone").isVisible() };
}
