/**
 * What the keyboard does on each page: the controls that Tab never reaches, or in another order than they stand; stops whose
 * focus cannot be seen; whether Tab leaves the page at its end; parts that Enter does not open and close; what Escape does.
 */

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";

/** In the page: numbers the controls that the keyboard must reach, in their order, and returns what they are called. */
function numbered(controls) {
  const called = (one) => `${one.localName} ${(one.getAttribute("aria-label") ?? one.innerText ?? one.name).trim().slice(0, 60)}`;
  const shown = (one) => one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const ofGroup = (one) => one.type === "radio" && !one.checked && document.querySelector(`[name="${one.name}"]:checked`);
  const all = [...document.querySelectorAll(controls)].filter((one) => one.tabIndex >= 0 && !one.disabled && shown(one) && !ofGroup(one));
  all.forEach((one, place) => { one.dataset.stop = place; });
  return all.map(called);
}

/** In the page: the number of the control that has the focus, and how it looks. */
function place() {
  const at = document.activeElement;
  if (!at || at === document.body || at === document.documentElement) return null;
  const box = at.getBoundingClientRect();
  const look = getComputedStyle(at);
  return {
    stop: Number(at.dataset.stop ?? -1),
    name: `${at.localName} ${(at.getAttribute("aria-label") ?? at.innerText ?? "").trim().slice(0, 60)}`,
    seen: look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2 && box.bottom > 0 && box.top < innerHeight &&
      box.right > 0 && box.left < innerWidth && box.width > 0,
  };
}

/** Presses a key a number of times and returns the stops. */
async function walked(page, key, times) {
  const stops = [];
  for (let press = 0; press < times; press += 1) {
    await page.keyboard.press(key);
    stops.push(await page.evaluate(place));
  }
  return stops;
}

/** The parts that Enter does not open, or does not close again. */
async function stuck(page) {
  const parts = page.locator("main details, .subscribe");
  const names = [];
  for (let number = 0; number < await parts.count(); number += 1) {
    const part = parts.nth(number);
    const summary = part.locator(":scope > summary");
    if (!await summary.isVisible()) continue;
    const before = await part.evaluate((one) => one.open);
    await summary.focus();
    await page.keyboard.press("Enter");
    const pressed = await part.evaluate((one) => one.open);
    const escape = await part.evaluate((one) => one.matches(".subscribe"));
    await page.keyboard.press(escape ? "Escape" : "Enter");
    const after = await part.evaluate((one) => one.open);
    const kept = await summary.evaluate((one) => one === document.activeElement);
    if (pressed === before || after !== before || !kept) names.push(await summary.innerText());
  }
  return names;
}

export async function run({ open }, { paths, width, now }) {
  const found = {};
  const options = { viewport: { width, height: 900 }, reducedMotion: "reduce" };
  const { page, next } = await open(paths[0], options, async (page) => now && page.clock.setFixedTime(new Date(now)));
  for (const path of paths) {
    if (path !== paths[0]) await next(path);
    const controls = await page.evaluate(numbered, CONTROLS);
    const last = controls.length - 1;
    // one more than there are: it leaves the page, or begins again where a browser has nothing else to go to
    const there = await walked(page, "Tab", controls.length + 1);
    const end = there.pop();
    await page.evaluate((stop) => document.querySelector(`[data-stop="${stop}"]`).focus(), last);
    const back = await walked(page, "Shift+Tab", last);
    found[path] = {
      controls: controls.length,
      unreached: controls.filter((_, number) => !there.some((stop) => stop?.stop === number)),
      inOrder: there.every((stop, turn) => stop?.stop === turn) && back.every((stop, turn) => stop?.stop === last - 1 - turn),
      leaves: end === null || end.stop === 0,
      unseen: there.filter((stop) => stop && !stop.seen).map(({ name }) => name),
      stuck: await stuck(page),
    };
  }
  return found;
}
