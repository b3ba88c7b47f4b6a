/** What the page of code says of each text that is pasted into it. */

export async function run({ open }, { path, texts }) {
  const { page, complaints } = await open(path);
  const said = [];
  const output = page.locator("[data-code] output");
  for (const text of texts) {
    await output.evaluate((place) => place.replaceChildren());
    await page.locator("#runtime").fill(text);
    await page.locator("[data-code] button").click();
    await page.waitForFunction(() => {
      const { textContent } = document.querySelector("[data-code] output");
      return textContent && textContent !== document.querySelector("[data-code]").dataset.asking;
    });
    said.push({
      text: await output.textContent(),
      links: await output.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    });
  }
  return { said, complaints };
}
