/** The lanes of an incident at instants of the reader's clock: what each bar covers in seconds, the axis' ends and the marks between. */

export async function run({ open }, { path, instants, width = 1280, timezoneId = "UTC" }) {
  const shown = [];
  for (const now of instants) {
    const options = { viewport: { width, height: 900 }, timezoneId };
    const { page, context, complaints } = await open(path, options, (page) => page.clock.setFixedTime(new Date(now)));
    const lanes = await page.evaluate(() => {
      const axis = document.querySelector(".lanes .period");
      const { left, width } = axis.getBoundingClientRect();
      const marks = [...axis.querySelectorAll(".mark")];
      const boxes = [...axis.querySelectorAll("time"), ...marks].map((part) => part.getBoundingClientRect());
      const middle = (box) => (box.left + box.right) / 2;
      return {
        bars: [...document.querySelectorAll(".lane > svg")].map((svg) => ({
          covered: svg.viewBox.baseVal.width,
          parts: [...svg.children].map((part) => [part.x.baseVal.value, part.width.baseVal.value]),
        })),
        ends: [...axis.querySelectorAll("time")].map((time) => time.textContent),
        marks: marks.map((mark) => [mark.textContent, Math.round((1000 * (middle(mark.getBoundingClientRect()) - left)) / width) / 1000]),
        overlap: boxes.some((one, place) => boxes.some((other, after) => after > place && one.left < other.right && other.left < one.right)),
      };
    });
    shown.push({ ...lanes, complaints });
    await context.close();
  }
  return shown;
}
