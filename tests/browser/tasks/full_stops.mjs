/**
 * The texts in Latin letters of a page that end with a full stop which does not stand right of their last letter, and how many
 * there are in all.
 */

const misplaced = () => {
  const left = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().left;
  };
  const wrong = [];
  let checked = 0;
  for (const block of document.querySelectorAll("main :is(p, dd)")) {
    const last = block.lastChild;
    if (last?.nodeType !== Node.TEXT_NODE || !block.checkVisibility() || !/^[A-Za-z]/.test(block.textContent.trim())) continue;
    const end = last.data.trimEnd().length - 1;
    if (end < 1 || last.data[end] !== ".") continue;
    checked += 1;
    if (left(last, end) <= left(last, end - 1)) wrong.push(block.textContent.trim());
  }
  return { checked, wrong };
};

export async function run({ open }, { paths }) {
  const found = {};
  const { page, context, next } = await open(paths[0]);
  for (const path of paths) {
    if (path !== paths[0]) await next(path);
    found[path] = await page.evaluate(misplaced);
  }
  await context.close();
  return found;
}
