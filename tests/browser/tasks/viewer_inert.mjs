/** Whether hostile records act on the page of any contract, and what it says of those that it does not show. */

import { marksOf, openEverything, watchActs } from "./inert.mjs";

export async function run({ open, base }, { paths }) {
  const acted = [], found = [], shown = [];
  const { page, complaints, next } = await open(paths[0], {}, (page) => watchActs(page, base, acted));
  for (const path of paths) {
    if (path !== paths[0]) await next(path);
    await openEverything(page);
    for (const act of [...acted.splice(0), ...await marksOf(page), ...complaints.splice(0)]) {
      if (!/status of 404/.test(act)) found.push(`${path}: ${act}`);
    }
    shown.push(await page.locator("main").textContent());
  }
  return { found, shown };
}
