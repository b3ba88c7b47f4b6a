/** The milliseconds from asking for the page of any contract until the contract is shown, each in a browser without a cache. */

export async function run({ open }, { paths }) {
  const milliseconds = [];
  for (const path of paths) {
    const { page, context } = await open(path);
    milliseconds.push(await page.evaluate(() => performance.getEntriesByName("contract")[0].startTime));
    await context.close();
  }
  return milliseconds;
}
