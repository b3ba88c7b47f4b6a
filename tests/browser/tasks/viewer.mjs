/**
 * Whether the page of any contract shows what the page of one does: the first difference between both, their main parts
 * as trees of elements, attributes and text, and the milliseconds until it is shown.
 */

const DIFFERENT = ["href", "data-record", "data-from", "data-rules", "data-proof", "data-decode", "data-tip"];

export async function run({ open }, { paths }) {
  const found = [];
  const { page, complaints, next, quiet } = await open(paths[0]);
  for (const path of paths) {
    const [, chain, address] = /contracts\/(\d+)\/(0x\w+)/.exec(path);
    if (path !== paths[0]) await next(path);
    const expected = await page.evaluate(treeOfMain, DIFFERENT);
    complaints.length = 0;
    await next(`contract.html?chain=${chain}&address=${address}`);
    await page.waitForFunction(() => performance.getEntriesByName("contract").length, null, { timeout: 20_000 }).catch(() => {});
    const milliseconds = await page.evaluate(() => performance.getEntriesByName("contract")[0]?.startTime);
    await quiet();
    const shown = await page.evaluate(treeOfMain, DIFFERENT);
    const said = await page.locator("[data-viewer] [role=status]").textContent({ timeout: 100 }).catch(() => "");
    // whether an implementation has a record here is asked of the site: a browser reports the 404
    const others = complaints.filter((text) => !/status of 404/.test(text));
    found.push({ path, difference: difference(expected, shown, "main"), milliseconds, said, complaints: others });
  }
  return found;
}

/** The elements of the main part with their attributes, and its text, without white space that nobody sees. */
function treeOfMain(different) {
  const tree = (node) => {
    const attributes = [...node.attributes].filter(({ name }) => !different.includes(name)).map(({ name, value }) => `${name}=${value}`);
    const children = [];
    for (const child of (node.content ?? node).childNodes) {
      // colours of sources: a file with marks has none where the browser makes the page
      const [, , plain] = child.nodeType === Node.ELEMENT_NODE && /^c[csnktf]$/.test(child.className) ? tree(child) : [];
      if (plain) children.push(...plain);
      else if (child.nodeType === Node.ELEMENT_NODE) children.push(tree(child));
      else if (child.nodeType === Node.TEXT_NODE) {
        const text = child.data.replace(/\s+/g, " ");
        if (typeof children.at(-1) === "string") children.push((children.pop() + text).replace(/\s+/g, " "));
        else children.push(text);
      }
    }
    const joined = [];
    for (const child of children) {
      if (typeof child === "string" && typeof joined.at(-1) === "string") joined.push(joined.pop() + child);
      else joined.push(child);
    }
    return [node.localName, attributes.sort(), joined.map((one) => typeof one === "string" ? one.trim() : one).filter((one) => one !== "")];
  };
  return tree(document.querySelector("main"));
}

/** The first place where two trees differ; null if they do not. */
function difference(expected, shown, place) {
  if (typeof expected === "string" || typeof shown === "string" || !expected || !shown) {
    return expected === shown ? null : [place, expected, shown].map((one) => JSON.stringify(one ?? null).slice(0, 300));
  }
  const [[name, attributes, children], [otherName, otherAttributes, otherChildren]] = [expected, shown];
  const [one, other] = [[name, ...attributes].join(" "), [otherName, ...otherAttributes].join(" ")];
  if (one !== other) return [place, one.slice(0, 300), other.slice(0, 300)];
  for (let at = 0; at < Math.max(children.length, otherChildren.length); at++) {
    const found = difference(children[at], otherChildren[at], `${place} > ${name}[${at}]`);
    if (found) return found;
  }
  return null;
}
