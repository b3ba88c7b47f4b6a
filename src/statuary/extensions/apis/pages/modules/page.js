// The page that finds the verified name of code, pasted or read from a node. The site is asked for hashes alone, and a
// node only where the reader names one.

import { bytesOf, contractsOf } from "./code.js";
import { codeAt } from "./node.js";

const MOST_SHOWN = 100;
const SIGNS = { verified_here: "ok", stated_by_a_file: "stated", not_shown: "none", contradicted: "major" };

const place = document.querySelector("[data-code]");
const { root, ...texts } = place.dataset;
const output = place.querySelector("output");
const paste = place.querySelector("[data-paste]");
const ask = place.querySelector("[data-ask]");

async function read(path) {
  const response = await fetch(root + path);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${response.status} ${path}`);
  return response.json();
}

function element(name, text, members = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...members });
}

/** Characters that reverse the direction of text are written out. */
const visible = (text) => text.replace(/[\p{Cf}\p{Cc}]/gu, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);

/** The sign and the word of a verdict; nothing of a record that no build checked. */
function state(verdict) {
  if (!(verdict in SIGNS)) return [];
  const made = element("span", "", { className: `state s-${SIGNS[verdict]}` });
  const sign = place.querySelector("template").content.firstElementChild.cloneNode(true);
  sign.querySelector("use").setAttribute("href", `#i-${SIGNS[verdict]}`);
  made.append(sign, element("span", texts[verdict]));
  return [made, " "];
}

function line({ chainId, address, name, proof, verdict }) {
  const href = `${root}contract.html?${new URLSearchParams({ chain: chainId, address })}`;
  const item = element("li", "");
  const link = element("a", visible(name) || address, { href });
  const proofLink = element("a", texts.proof, { href: root + proof });
  item.append(link, " ", ...state(verdict), element("code", `${chainId}:${address}`), " ", proofLink);
  return item;
}

async function answer(text) {
  const code = bytesOf(text);
  if (!code) return [texts.invalid];
  output.textContent = texts.asking;
  const { isExact, contracts } = await contractsOf(code, read);
  if (!contracts.length) return [texts.none];
  const list = element("ul", "", { className: "implementations" });
  list.append(...contracts.slice(0, MOST_SHOWN).map(line));
  const more = contracts.length - MOST_SHOWN;
  if (more > 0) list.append(element("li", texts.more.replace("{count}", more)));
  return [element("p", isExact ? texts.exact : texts.template), list];
}

const filled = (text, values = {}) => text.replace(/\{(\w+)\}/g, (whole, name) => visible(String(values[name] ?? whole)));

async function answerOfNode({ node, contract }) {
  output.textContent = texts.asking;
  const { code, problem, values } = await codeAt(node.value, contract.value, Number(place.dataset.seconds));
  if (problem) return [filled(texts[problem], values)];
  paste.elements.runtime.value = code;
  return answer(code);
}

let latest = 0; // an answer that comes after a later question is not shown

/** Shows what a form is answered when it is sent. */
function show(form, answered) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const number = latest += 1;
    let shown;
    try {
      shown = await answered();
    } catch ({ message }) {
      shown = [filled(texts.failed, { reason: message })];
    }
    if (number === latest) output.replaceChildren(...shown);
  });
}

show(paste, () => answer(paste.elements.runtime.value));
show(ask, () => answerOfNode(ask.elements));
place.hidden = false;
document.querySelector("[data-without]").remove();
