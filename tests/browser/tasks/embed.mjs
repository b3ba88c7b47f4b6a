/**
 * A page of another origin in each look: whether the frame that a script adds to it is in sight, what it says, how large it is,
 * what axe-core has against it, and a picture if there is a folder for it. With `dismiss` its button is pressed, once.
 */

import { join } from "node:path";

export async function run({ open, axe }, { url, looks, folder, name, dismiss = false }) {
  const found = [];
  for (const { width, height, ...look } of looks) {
    const options = { ...look, viewport: { width, height }, screen: { width, height }, bypassCSP: true };
    const { page, context, complaints } = await open("", options);
    await page.goto(url, { waitUntil: "load" });
    const handle = await page.waitForSelector("iframe", { state: "attached", timeout: 10000 });
    const frame = await handle.contentFrame();
    const box = async () => await handle.evaluate((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x, y, width, height, inSight: x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0 };
    });
    let text = "";
    try {
      await frame.waitForSelector("[data-state]", { timeout: 5000 });
      await page.waitForTimeout(1400);
      text = await frame.evaluate(() => document.body.innerText);
      await frame.evaluate(axe);
    } catch (error) {
      text = `no document: ${String(error).split("\n")[0]}`;
    }
    const violations = text.startsWith("no document") ? [] : await frame.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      return violations.map(({ id }) => id);
    });
    const shown = await box();
    if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${look.colorScheme}.png`) });
    let dismissed = null;
    if (dismiss && shown.inSight) {
      await frame.click("[data-close]");
      await page.waitForTimeout(1400);
      dismissed = (await box()).inSight;
    }
    found.push({ width, scheme: look.colorScheme, shown, text, violations, dismissed, complaints });
    await context.close();
  }
  return found;
}
