// Reads what a wallet shows on the page of a contract, pastes calls and messages into its box, and looks for barriers.

import { broken } from "./accessibility.mjs";

export async function run({ open, axe }, { path, pasted = [], look = {}, picture, later = false, barriers = false }) {
  const { page, complaints } = await open(path, look);
  const section = page.locator("[data-signing]");
  if (later) {
    await section.waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
  }
  const isShown = await section.isVisible();
  if (!isShown) return { isShown, complaints };
  const items = await section.locator("details.item").evaluateAll((all) =>
    all.map((one) => {
      one.open = true;
      return { summary: one.querySelector("summary").textContent, more: one.querySelector(".item-more").textContent };
    })
  );
  const notes = await section.locator("p.note").allTextContents();
  const answers = [];
  for (const { text, value = "0" } of pasted) {
    await section.locator("textarea").fill(text);
    await section.locator("input").fill(value);
    await section.locator("button").click();
    await page.waitForFunction(() => {
      const output = document.querySelector("[data-signing] output");
      return output.textContent && output.textContent !== output.closest("[data-signing]").dataset.asking;
    });
    answers.push(await section.locator("output").evaluate((output) => output.innerText));
  }
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (picture) await section.screenshot({ path: picture });
  const found = { isShown, items, notes, answers, overflow, complaints };
  return barriers ? { ...found, broken: await broken(page, axe, true, path) } : found;
}
