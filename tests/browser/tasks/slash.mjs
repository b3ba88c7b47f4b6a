/** Where the key `/` leads on each page: the name of the field that has the focus, and the page that is shown then. */

export async function run({ open, base }, { paths, width = 1280 }) {
  const { page, next, quiet } = await open(paths[0], { viewport: { width, height: 900 } });
  const reached = {};
  for (const path of paths) {
    if (path !== paths[0]) await next(path);
    await page.keyboard.press("/");
    await page.waitForLoadState("load");
    await page.waitForTimeout(300);
    await quiet();
    reached[path] = {
      field: await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.id),
      page: page.url().replace(base, ""),
    };
  }
  return reached;
}
