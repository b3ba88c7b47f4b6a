/** The times of a page in a zone at an instant, what stands beside them, and their descriptions under the pointer. */

export async function run({ open }, { path, timezoneId, now, selector }) {
  const { page } = await open(path, { timezoneId }, (page) => page.clock.setFixedTime(new Date(now)));
  const times = [];
  for (const time of await page.locator(selector).all()) {
    await time.hover();
    times.push({
      datetime: await time.getAttribute("datetime"),
      text: await time.textContent(),
      beside: await time.evaluate((element) => element.nextElementSibling?.textContent.trim() ?? ""),
      exact: await page.locator("#tip").textContent(),
    });
  }
  return times;
}
