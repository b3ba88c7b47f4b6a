/** Where the Tab key leads from the top of a page, and whether each stop can be seen. */

export async function run({ open }, { path, stops }) {
  const { page } = await open(path, { viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const walked = [];
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press("Tab");
    const place = await page.evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body) return null;
      const box = at.getBoundingClientRect();
      return {
        tag: at.tagName.toLowerCase(),
        name: (at.getAttribute("aria-label") ?? at.innerText).trim().slice(0, 80),
        outlined: getComputedStyle(at).outlineStyle !== "none",
        inView: box.bottom > 0 && box.top < innerHeight && box.width > 0,
      };
    });
    if (!place) break;
    walked.push(place);
  }
  return walked;
}
