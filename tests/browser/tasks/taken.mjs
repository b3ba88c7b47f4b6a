/** What the buttons in the headings of a contract's page give: the text on the clipboard, and the archive in base64. */

export async function run({ open }, { path }) {
  const { page, complaints, quiet } = await open(path, { acceptDownloads: true }, (_, context) =>
    context.grantPermissions(["clipboard-read", "clipboard-write"]));
  await page.locator("[data-take=abi]").click();
  await quiet();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-take=sources]").click()]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return { copied, name: download.suggestedFilename(), archive: Buffer.concat(chunks).toString("base64"), complaints };
}
