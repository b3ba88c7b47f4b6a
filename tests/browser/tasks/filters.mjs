/** What each address of the search lists, and what the keys do there: each with the name that has the focus after it. */

export async function run({ open, base }, { addresses, keys, start = "contracts/index.html" }) {
  const { page, complaints, next, quiet } = await open(start);
  const said = async () => ({
    found: await page.locator("#found").textContent(),
    names: await page.locator("#results a").allTextContents(),
    kinds: await page.locator("#results .kind").allTextContents(),
    lists: await page.locator("main .contracts").filter({ visible: true }).count(),
    languages: await page.locator("#results li small:first-of-type").allTextContents(),
    url: page.url().replace(base, ""),
  });
  const answers = {};
  for (const address of addresses) {
    await next(`${start}${address}`);
    answers[address] = await said();
  }
  await next(start);
  const focused = [];
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(200);
    await quiet();
    focused.push(await page.evaluate(() => {
      const at = document.activeElement;
      return at.matches("select") ? `${at.name}=${at.value}` : at.matches("input") ? `field=${at.value}` : at.textContent;
    }));
  }
  return { answers, focused, last: await said(), complaints };
}
