/** What an open page says at each instant that its clock is moved to, without being loaded again; a step may bring a newer build. */

const says = (page) => page.evaluate(() => ({
  title: document.title,
  icon: document.querySelector("link[rel=icon]").getAttribute("href"),
  heading: document.querySelector("h1").textContent,
  announced: document.getElementById("announcement").textContent,
  text: document.getElementById("main").innerText,
  stale: document.getElementById("stale").hidden ? "" : document.getElementById("stale").textContent,
}));

export async function run({ open, replaceSite }, { path, from, steps }) {
  let loads = 0;
  const { page, complaints, quiet } = await open(path, {}, async (page) => {
    page.on("load", () => { loads += 1; });
    await page.clock.install({ time: new Date(from) });
  }, "networkidle");
  const texts = [await says(page)];
  let now = Date.parse(from);
  for (const step of steps) {
    if (step.site) replaceSite(step.site);
    await page.clock.fastForward(Date.parse(step.at) - now);
    now = Date.parse(step.at);
    await quiet();
    texts.push(await says(page));
  }
  return { texts, loads, complaints };
}
