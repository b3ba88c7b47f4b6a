/** Where the first of each selector begins on a page, in pixels from its top, how tall it is, and how tall the page is, by width. */

export async function run({ open }, { path, widths, selectors, now, timezoneId = "UTC" }) {
  const found = {};
  for (const width of widths) {
    const options = { viewport: { width, height: 900 }, timezoneId, reducedMotion: "reduce" };
    const { page, context } = await open(path, options, (page) => page.clock.setFixedTime(new Date(now)));
    found[width] = await page.evaluate((selectors) => ({
      page: document.documentElement.scrollHeight,
      wider: document.documentElement.scrollWidth - innerWidth,
      ...Object.fromEntries(selectors.map((selector) => {
        const box = document.querySelector(selector)?.getBoundingClientRect();
        return [selector, box ? [Math.round(box.top + scrollY), Math.round(box.height)] : null];
      })),
    }), selectors);
    await context.close();
  }
  return found;
}
