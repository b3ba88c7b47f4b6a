/** What of a page is there on paper: parts that are folded on the screen, and parts that paper has no use for. */

export async function run({ open }, { path, folded, useless }) {
  const { page } = await open(path, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  const height = (selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().height);
  return {
    folded: await height(folded),
    useless: await page.locator(useless).first().isVisible(),
    background: await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
    bytes: (await page.pdf()).length,
  };
}
