/**
 * What axe-core, the width of the window and the console have against pages, at each width and in each scheme. A page is
 * loaded once at a width; the scheme changes nothing but colours, so that only their rules run again in the other one.
 */

const RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

export async function run({ open, axe }, { paths, widths }) {
  const found = [];
  for (const width of widths) {
    const options = { viewport: { width, height: 900 }, bypassCSP: true };
    const { page, context, complaints, next } = await open(paths[0], options, () => {}, "load");
    for (const path of paths) {
      if (path !== paths[0]) await next(path);
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      await page.evaluate(axe);
      for (const [colorScheme, runOnly] of [["light", RULES], ["dark", COLOURS]]) {
        const where = `${path} at ${width} in ${colorScheme}`;
        await page.emulateMedia({ colorScheme });
        const violations = await page.evaluate(async (rules) => {
          const { violations } = await window.axe.run({ runOnly: rules, resultTypes: ["violations"] });
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
        }, runOnly);
        found.push(...violations.map((violation) => `${where}: ${violation}`));
        const [wide, tall] = await page.evaluate(
          () => [document.documentElement.scrollWidth - innerWidth, document.body.scrollHeight]);
        if (wide > 0) found.push(`${where}: ${wide} pixels wider than the window`);
        if (tall < 300) found.push(`${where}: ${tall} pixels tall, which is nothing`);
      }
      found.push(...complaints.splice(0).map((complaint) => `${path} at ${width}: ${complaint}`));
    }
    await context.close();
  }
  return found;
}
