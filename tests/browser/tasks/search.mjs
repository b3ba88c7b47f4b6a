/** What the search finds for each query, typed letter by letter. */

export async function run({ open, base }, { queries }) {
  const { page, complaints, quiet } = await open("contracts/index.html");
  const answers = {};
  for (const query of queries) {
    await page.locator("#query").fill("");
    await page.locator("#query").pressSequentially(query, { delay: 2 });
    await page.waitForFunction((typed) => new URLSearchParams(location.search).get("q") === typed, query.trim());
    await quiet();
    answers[query] = {
      found: await page.locator("#found").textContent(),
      names: await page.locator("#results a").allTextContents(),
      because: await page.locator("#results .because").allTextContents(),
      states: await page.locator("#results .state").evaluateAll((states) => states.map((state) =>
        [state.className.replace("state s-", ""), ...[...state.querySelectorAll("span, small")].map((part) => part.textContent)].join(" ").trim())),
      hrefs: await page.locator("#results a").evaluateAll((links) => links.map((link) => link.href)),
      url: page.url().replace(base, ""),
    };
  }
  return { answers, complaints, base };
}
