/**
 * What the layout of each page shifted in each look (CLS) and what the console complained of, with a picture if there is a
 * folder for it.
 */

import { join } from "node:path";

/** Adds up the shifts of the layout that nobody asked for. */
export const watchShifts = () => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
};

export async function run({ open }, { paths, looks, folder, now, top = 0, height = 12000 }) {
  const taken = [];
  for (const { width, height: tall, media = "screen", ...look } of looks) {
    const scripted = look.javaScriptEnabled !== false;
    const options = { ...look, viewport: { width, height: tall }, reducedMotion: "reduce" };
    const { page, context, complaints, next } = await open(paths[0], options, async (page) => {
      if (scripted) await page.addInitScript(watchShifts);
      if (scripted && now) await page.clock.setFixedTime(new Date(now));  // the page as it was built
      await page.emulateMedia({ media });
    });
    for (const path of paths) {
      if (path !== paths[0]) await next(path);
      const kind = scripted ? media === "print" ? "print" : look.colorScheme : "without-scripts";
      const file = `${path.replaceAll(/[^\w.-]+/g, "_")}-${width}-${kind}.png`;
      const shift = scripted ? await page.evaluate(() => window.shift) : 0;
      if (folder) await page.screenshot({ path: join(folder, file), fullPage: true, clip: {
        x: 0, y: top, width,
        height: Math.min(height, await page.evaluate(() => document.documentElement.scrollHeight) - top),
      } });
      taken.push({ file, shift, complaints: complaints.splice(0) });
    }
    await context.close();
  }
  return taken;
}
