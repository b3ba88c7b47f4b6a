/** What the search of a folder of pages shows for a question, and where Enter leads. */

export async function run({ open, base }, { path, question }) {
  const { page, complaints, quiet } = await open(path);
  const input = page.locator(".side .finder input");
  await input.focus();
  await input.pressSequentially(question, { delay: 2 });
  const links = page.locator(".side .finder ol a");
  await links.first().waitFor();
  await quiet();
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.href));
  await input.press("Enter");
  await page.waitForURL((url) => !url.pathname.endsWith(path));
  return { hrefs: hrefs.map((href) => href.replace(base, "")), reached: page.url().replace(base, ""), complaints };
}
