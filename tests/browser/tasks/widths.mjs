/** By how many pixels each page is wider than each window, with its folds open. */

export async function run({ open }, { paths, looks }) {
  const taken = [];
  for (const { width, height } of looks) {
    const { page, context, next } = await open(paths[0], { viewport: { width, height } }, () => {}, "load");
    for (const path of paths) {
      if (path !== paths[0]) await next(path);
      taken.push({ path, width, wider: await page.evaluate(() => {
        document.querySelectorAll("details").forEach((one) => { one.open = true; });
        return document.documentElement.scrollWidth - innerWidth;
      }) });
    }
    await context.close();
  }
  return taken;
}
