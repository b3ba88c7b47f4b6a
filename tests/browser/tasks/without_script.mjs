/** What pages show where no script runs. */

export async function run({ open }, { paths }) {
  const shown = {};
  for (const path of paths) {
    const { page, context } = await open(path, { javaScriptEnabled: false });
    shown[path] = await page.locator("main").innerText();
    await context.close();
  }
  return shown;
}
