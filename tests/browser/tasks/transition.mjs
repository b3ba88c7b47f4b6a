/** What a page says before and after an instant that its clock is moved past, without being loaded again. */

const says = (page) => page.evaluate(() => ({
  title: document.title,
  icon: document.querySelector("link[rel=icon]").getAttribute("href"),
  heading: document.querySelector("h1").textContent,
  announced: document.getElementById("announcement").textContent,
  text: document.getElementById("main").innerText,
  stale: document.getElementById("stale").hidden ? "" : document.getElementById("stale").textContent,
}));

export async function run({ open }, { path, from, steps }) {
  let loads = 0;
  const { page, complaints, quiet } = await open(path, {}, async (page) => {
    page.on("load", () => { loads += 1; });
    await page.clock.install({ time: new Date(from) });
  }, "networkidle");
  const texts = [await says(page)];
  let now = Date.parse(from);
  for (const step of steps) {
    await page.clock.fastForward(Date.parse(step) - now);
    now = Date.parse(step);
    await quiet();
    texts.push(await says(page));
  }
  return { texts, loads, complaints };
}
