/**
 * What one search costs: the milliseconds from a pasted query to the first result, and every file that is read for it. Filters are chosen
 * by name before it, such as `{query: "vault", language: "Vyper"}`.
 */

export async function run({ open, base }, { queries }) {
  const answers = {};
  for (const { query, ...filters } of queries) {
    const requests = [];
    const { page, context, complaints } = await open("contracts/index.html");
    page.on("requestfinished", (request) => requests.push(request));
    const began = Date.now();
    if (query) await page.locator("#query").fill(query);
    for (const [name, value] of Object.entries(filters)) await page.locator(`select[name=${name}]`).selectOption(value);
    await page.locator("#results a").first().waitFor();
    const milliseconds = Date.now() - began;
    await page.waitForLoadState("networkidle");
    const sizes = await Promise.all(requests.map(async (request) => (await request.sizes()).responseBodySize));
    answers[[query, ...Object.values(filters)].join(" ")] = {
      milliseconds,
      found: await page.locator("#found").textContent(),
      names: await page.locator("#results a").allTextContents(),
      requests: requests.map((request) => request.url().replace(base, "")),
      bytes: sizes.reduce((one, other) => one + other, 0),
      complaints,
    };
    await context.close();
  }
  return answers;
}
