/** By how many pixels each page is wider than each window, with its folds open; and the words that a line break splits. */

export async function run({ open }, { paths, looks }) {
  const taken = [];
  for (const { width, height } of looks) {
    const { page, context, next } = await open(paths[0], { viewport: { width, height } }, () => {}, "load");
    for (const path of paths) {
      if (path !== paths[0]) await next(path);
      taken.push({ path, width, ...await page.evaluate(measure) });
    }
    await context.close();
  }
  return taken;
}

function measure() {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  const range = document.createRange(), split = [];
  const linesOf = (node, from, to) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  };
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (!node.parentElement.checkVisibility()) continue;
    for (const { 0: word, index } of node.data.matchAll(/\w+/g)) {
      if (linesOf(node, index, index + word.length) > 1) split.push(word);
    }
  }
  return { wider: document.documentElement.scrollWidth - innerWidth, split };
}
