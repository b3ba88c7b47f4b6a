/**
 * What a reader does to learn something: clicks, keys and screens to scroll until the answer is in view. A step presses a link
 * (`click`), types into a field (`into`, `text`, then Enter), or searches the page as the browser does (`find`): one key to open
 * that, the letters, and Enter for each place up to the first one within `inside`. The answer is the texts that the page must
 * have; each is looked for in the smallest visible element that has it.
 */

export async function run({ open }, { path, steps, answer, now, width, timezoneId = "UTC" }) {
  const height = 900;
  const { page, context, quiet } = await open(path, { viewport: { width, height }, timezoneId, reducedMotion: "reduce" },
    (page) => page.clock.setFixedTime(new Date(now)));
  context.setDefaultTimeout(5_000);
  const effort = { clicks: 0, keys: 0, scrolls: 0 };
  for (const { click, into, text, find, inside } of steps) {
    if (click) {
      const target = page.locator(click).locator("visible=true").first();
      effort.scrolls += await screensTo(target, height);
      effort.clicks += 1;
      await target.click();
    } else if (into) {
      const field = page.locator(into).locator("visible=true").first();
      effort.scrolls += await screensTo(field, height);
      if (!await field.evaluate((one) => one === document.activeElement)) effort.clicks += 1;
      effort.keys += text.length + 1;
      await field.pressSequentially(text);
      await page.waitForTimeout(300);
      await quiet();
      await field.press("Enter");
    } else {
      const before = await page.evaluate(({ find, inside }) => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let count = 0; walker.nextNode();) {
          const places = walker.currentNode.data.toLowerCase().split(find).length - 1;
          if (places && walker.currentNode.parentElement.closest(inside)) return count;
          count += places;
        }
        return -1;
      }, { find, inside });
      if (before < 0) return null;
      effort.keys += 1 + find.length + before + 1;
      return effort;
    }
    await page.waitForLoadState("load");
    await page.waitForTimeout(300);
    await quiet();
  }
  const bottom = await page.evaluate((answer) => {
    const bottoms = answer.map((text) => {
      const having = [...document.querySelectorAll("body *")].filter((one) =>
        one.innerText?.includes(text) && one.checkVisibility({ visibilityProperty: true }));
      const smallest = having.filter((one) => !having.some((other) => other !== one && one.contains(other)));
      const boxes = smallest.map((one) => one.getBoundingClientRect().bottom).filter((bottom) => bottom > 0);
      return boxes.length ? Math.min(...boxes) : Infinity;
    });
    return Math.max(...bottoms);
  }, answer);
  if (answer.length && !Number.isFinite(bottom)) return null;
  if (answer.length) effort.scrolls += Math.max(0, Math.ceil((bottom - height) / height));
  return effort;
}

async function screensTo(locator, height) {
  const box = await locator.boundingBox();
  return Math.max(0, Math.ceil((box.y + box.height - height) / height));
}
