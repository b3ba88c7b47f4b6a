/** What happens to the sources of a contract when a line of a dependency is linked to, what is copied, and what is found. */

export async function run({ open }, { path }) {
  const [plain, hash] = path.split("#");
  const { page, context, quiet } = await open(plain, { permissions: ["clipboard-read", "clipboard-write"] });
  const file = `#${hash.split("-")[0]}`;
  const before = await page.locator(`${file} .code span`).count();
  await page.evaluate((anchor) => { location.hash = anchor; }, hash);
  await quiet();
  const shown = {
    before,
    coloured: await page.locator(`${file} .code span`).count(),
    line: await page.locator(".code .here").textContent(),
    open: await page.locator(".file:visible").evaluateAll((all) => all.map((one) => one.id)),
  };
  await page.locator(`${file} .copy-source`).click();
  shown.copied = await page.evaluate(() => navigator.clipboard.readText());
  await page.locator("[data-find]").fill("uint256");
  shown.found = await page.locator(".tree .hits a").count();
  await page.locator("[data-find]").press("Enter");
  await quiet();
  shown.hit = await page.locator(".code .here").textContent();
  await context.close();
  return shown;
}
