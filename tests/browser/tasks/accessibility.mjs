/**
 * What axe-core, the width of the window and the console have against pages, at each width and in each scheme; whether their
 * layout shifts when scripts run; whether anything on them acts. A page is loaded once at a width; the scheme changes nothing
 * but colours, so that only their rules run again in the other one. Of elements that stand side by side and are made alike,
 * axe-core looks at the first three, or with `whole` at all.
 */

import { marksOf, openEverything, watchActs } from "./inert.mjs";
import { watchShifts } from "./pictures.mjs";

const RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
const SCHEMES = { light: RULES, dark: COLOURS };

/** Removes the fourth and later of the elements that are made alike and stand alike: tags, attributes, classes, whether they have text. */
function thinOut() {
  const pointing = ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "headers"];
  const ids = (one) => pointing.flatMap((name) => (one.getAttribute(name) ?? "").split(" ")).filter(Boolean);
  const links = [...document.querySelectorAll(pointing.map((name) => `[${name}]`))].flatMap(
    (from) => ids(from).map((id) => [from, document.getElementById(id)]));
  const isNamed = (one) => links.some(([from, to]) => one.contains(to) && !one.contains(from));
  const attribute = ({ name, value }) =>
    ["class", "role", "type"].includes(name) ? `${name}=${value}` : `${name}${value === "" ? " empty" : ""}`;
  const own = (one) =>
    [one.tagName, ...[...one.attributes].map(attribute), one.textContent.trim() === "" ? "empty" : ""].join(" ");
  const shape = (one) => `${own(one)} (${[...new Set([...one.children].map(shape))].sort()})`;
  const isNeeded = (parent, child) =>
    isNamed(child) || ["DT", "DD", "WBR"].includes(child.tagName) || parent.textContent.trim() === child.textContent.trim();
  const seen = {};
  const thin = (parent, place) => {
    for (const child of [...parent.children]) {
      const made = `${place} > ${shape(child)}`;
      seen[made] = (seen[made] ?? 0) + 1;
      if (seen[made] > 3 && !isNeeded(parent, child)) child.remove();
      else thin(child, `${place} > ${own(child)}`);
    }
  };
  thin(document.body, "");
}

export async function run({ open, base, axe }, { paths, widths, now, whole = false }) {
  const found = { broken: [], shifted: [], acted: [] };
  for (const width of widths) {
    const acted = [];
    const options = { viewport: { width, height: 900 }, colorScheme: "light", reducedMotion: "reduce" };
    const { page, context, complaints, next } = await open(paths[0], options, async (page) => {
      await page.clock.setFixedTime(new Date(now));  // the page as it was built, not as it is to be by now
      await page.addInitScript(watchShifts);
      await watchActs(page, base, acted);
    });
    for (const path of paths) {
      if (path !== paths[0]) await next(path);
      const shift = await page.evaluate(() => window.shift);
      if (shift > 0.02) found.shifted.push(`${path} at ${width}: ${shift}`);
      await openEverything(page);
      found.acted.push(...[...acted.splice(0), ...await marksOf(page)].map((act) => `${path} at ${width}: ${act}`));
      found.broken.push(...await broken(page, axe, whole, `${path} at ${width}`));
      found.broken.push(...complaints.splice(0).map((complaint) => `${path} at ${width}: ${complaint}`));
    }
    await context.close();
  }
  return found;
}

/** What axe-core and the width of the window have against a page as it is now, in both schemes. */
export async function broken(page, axe, whole, where) {
  const found = [];
  for (const colorScheme of Object.keys(SCHEMES)) {
    await page.emulateMedia({ colorScheme });
    const [wide, tall] = await page.evaluate(
      () => [document.documentElement.scrollWidth - innerWidth, document.body.scrollHeight]);
    if (wide > 0) found.push(`${where} in ${colorScheme}: ${wide} pixels wider than the window`);
    if (tall < 300) found.push(`${where} in ${colorScheme}: ${tall} pixels tall, which is nothing`);
  }
  if (!whole) await page.evaluate(thinOut);
  await page.evaluate(axe);
  for (const [colorScheme, runOnly] of Object.entries(SCHEMES)) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(async (rules) => {
      const { violations } = await window.axe.run({ runOnly: rules, resultTypes: ["violations"] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
    }, runOnly);
    found.push(...violations.map((violation) => `${where} in ${colorScheme}: ${violation}`));
  }
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}
