/** The times of a page in a zone at an instant, and their descriptions when they have the focus. */

export async function run({ open }, { path, timezoneId, now, selector }) {
  const { page } = await open(path, { timezoneId }, (page) => page.clock.setFixedTime(new Date(now)));
  const times = [];
  for (const time of await page.locator(selector).all()) {
    await time.focus();
    times.push({
      datetime: await time.getAttribute("datetime"),
      text: await time.textContent(),
      exact: await page.locator("#tip").textContent(),
    });
  }
  return times;
}
