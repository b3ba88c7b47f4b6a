/** What the page of code says of each text that is pasted into it, and of each contract that it asks a node for. */

export async function run({ open }, { path, texts = [], asked = [], seconds }) {
  const { page, complaints } = await open(path);
  const said = [];
  const output = page.locator("[data-code] output");
  async function answered(send) {
    await output.evaluate((place) => place.replaceChildren());
    await send();
    await page.waitForFunction(() => {
      const { textContent } = document.querySelector("[data-code] output");
      return textContent && textContent !== document.querySelector("[data-code]").dataset.asking;
    });
    said.push({
      text: await output.textContent(),
      states: await output.locator(".state").evaluateAll((states) => states.map((state) => `${state.className}: ${state.textContent}`)),
      links: await output.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    });
  }
  for (const text of texts) {
    await answered(async () => {
      await page.locator("#runtime").fill(text);
      await page.locator("[data-paste] button").click();
    });
  }
  if (seconds) await page.locator("[data-code]").evaluate((place, value) => place.dataset.seconds = value, seconds);
  for (const { node, contract } of asked) {
    await answered(async () => {
      await page.locator("#node").fill(node);
      await page.locator("#contract").fill(contract);
      await page.locator("[data-ask] button").click();
    });
  }
  return { said, complaints };
}
