/** Where the first stop of the keyboard leads when it is followed. */

export async function run({ open }, { path }) {
  const { page } = await open(path);
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press("Enter");
  const reached = await page.evaluate(() => document.activeElement.id);
  await page.keyboard.press("Tab");
  const inside = await page.evaluate(() => document.getElementById("main").contains(document.activeElement));
  return { first, reached, inside };
}
