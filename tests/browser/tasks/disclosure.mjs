/** Whether every part of a page that opens does so by keyboard alone. */

export async function run({ open }, { path, selector }) {
  const { page } = await open(path);
  const count = await page.locator(selector).count();
  const toggled = [];
  for (let place = 0; place < count; place += 1) {
    const details = page.locator(selector).nth(place);
    const before = await details.evaluate((one) => one.open);
    await details.locator(":scope > summary").focus();
    await page.keyboard.press("Enter");
    const after = await details.evaluate((one) => one.open);
    // back as it was, since a closed part hides those within it
    await page.keyboard.press("Enter");
    toggled.push(before !== after && before === (await details.evaluate((one) => one.open)));
  }
  return toggled;
}
