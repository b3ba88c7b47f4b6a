/** When the first content of each page is seen on a slow connection, in milliseconds: 400 kbit/s and 400 ms for each answer. */

export async function run({ open }, { paths, width = 390 }) {
  const seen = {};
  for (const path of paths) {
    const { page, context } = await open(path, { viewport: { width, height: 844 } }, async (page, context) => {
      const session = await context.newCDPSession(page);
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", {
        offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000,
      });
    });
    seen[path] = await page.evaluate(() => Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await context.close();
  }
  return seen;
}
