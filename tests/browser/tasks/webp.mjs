/** A picture of the top of a page at a width, as WebP in base64. */

export async function run({ open }, { path, width, height, top, quality, now, scheme = "light" }) {
  const viewport = { width, height };
  const { page, context } = await open(path, { viewport, colorScheme: scheme, reducedMotion: "reduce" },
    (page) => page.clock.setFixedTime(new Date(now)));
  if (top) await page.evaluate((y) => scrollTo(0, y), top);
  const png = (await page.screenshot()).toString("base64");
  const blank = await context.newPage();
  const webp = await blank.evaluate(async ([data, quality]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d", { alpha: false }).drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
  }, [png, quality]);
  await context.close();
  return webp;
}
