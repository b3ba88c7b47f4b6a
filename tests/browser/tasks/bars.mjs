/** What the bars of a component tell by keyboard, and by pointer. */

export async function run({ open }, { path, name, now, back }) {
  const { page } = await open(path, {}, (page) => page.clock.setFixedTime(new Date(now)));
  const bars = page.getByRole("slider", { name });
  const shown = { role: await bars.getAttribute("role") };
  await bars.focus();
  shown.today = await page.locator("#tip").textContent();
  for (let step = 0; step < back; step += 1) await page.keyboard.press("ArrowLeft");
  shown.trouble = await page.locator("#tip").textContent();
  shown.href = await page.locator("#tip a").first().evaluate((link) => link.href);
  await page.keyboard.press("Escape");
  const box = await bars.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  shown.pointed = await page.locator("#tip:visible").textContent();
  return shown;
}
