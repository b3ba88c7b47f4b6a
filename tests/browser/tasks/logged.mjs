/** What the lines about the log say on pages, in order, once they have verified, whether each holds, and whether it is before the updates. */

export async function run({ open }, { paths, width = 1280 }) {
  const shown = [];
  for (const path of paths) {
    const { page, complaints } = await open(path, { viewport: { width, height: 900 } });
    await page.waitForFunction(() => document.querySelector(".logged [role=status]").textContent);
    const [text, holds, command, first] = await page.evaluate(() => [
      document.querySelector(".logged [role=status]").textContent,
      document.querySelector(".logged").classList.contains("holds"),
      document.querySelector(".logged .command code").textContent,
      document.querySelector(".logged").getBoundingClientRect().bottom < document.querySelector(".updates")?.getBoundingClientRect().top &&
        document.querySelector(".logged [role=status]").checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    ]);
    shown.push({ text, holds, command, first, complaints });
  }
  return shown;
}
