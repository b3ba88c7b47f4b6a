/** What the lines about the log say on pages, in order, once they have verified, and whether each holds. */

export async function run({ open }, { paths }) {
  const shown = [];
  for (const path of paths) {
    const { page, complaints } = await open(path);
    await page.waitForFunction(() => document.querySelector(".logged [role=status]").textContent);
    const [text, holds, command] = await page.evaluate(() => [
      document.querySelector(".logged [role=status]").textContent,
      document.querySelector(".logged").classList.contains("holds"),
      document.querySelector(".logged .command code").textContent,
    ]);
    shown.push({ text, holds, command, complaints });
  }
  return shown;
}
