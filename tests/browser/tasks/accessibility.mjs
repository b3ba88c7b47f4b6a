/** What axe-core, the width of the window and the console have against pages, at each size and in each scheme. */

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export async function run({ open, axe }, { paths, looks }) {
  const found = [];
  for (const { width, height, colorScheme } of looks) {
    for (const path of paths) {
      const where = `${path} at ${width} in ${colorScheme}`;
      const options = { viewport: { width, height }, colorScheme, bypassCSP: true };
      const { page, context, complaints } = await open(path, options, () => {}, "load");
      found.push(...complaints.map((complaint) => `${where}: ${complaint}`));
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      await page.evaluate(axe());
      const { violations } = await page.evaluate(
        (values) => window.axe.run({ runOnly: { type: "tag", values } }), RULES);
      found.push(...violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0].html}`));
      const [wide, tall] = await page.evaluate(
        () => [document.documentElement.scrollWidth - innerWidth, document.body.scrollHeight]);
      if (wide > 0) found.push(`${where}: ${wide} pixels wider than the window`);
      if (tall < 300) found.push(`${where}: ${tall} pixels tall, which is nothing`);
      await context.close();
    }
  }
  return found;
}
