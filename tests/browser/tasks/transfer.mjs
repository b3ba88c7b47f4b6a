/** What a page transfers, compressed: every request, and which of them stand before the first paint. */

export async function run({ open, base }, { path }) {
  const requests = [];
  const { page } = await open(path, {}, (page) => {
    page.on("requestfinished", (request) => requests.push(request));
  });
  const requested = await Promise.all(requests.map(async (request) => ({
    url: request.url().replace(base, ""),
    type: request.resourceType(),
    bytes: (await request.sizes()).responseBodySize,
  })));
  const blocking = await page.evaluate(() => performance.getEntriesByType("resource")
    .filter((entry) => entry.renderBlockingStatus === "blocking").map((entry) => entry.name));
  return { requests: requested, blocking: blocking.map((url) => url.replace(base, "")) };
}
