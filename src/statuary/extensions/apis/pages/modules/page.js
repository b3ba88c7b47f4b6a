// The page that finds the verified name of pasted code. Nothing is sent but requests for hashes to the site itself.

import { bytesOf, contractsOf } from "./code.js";

const MOST_SHOWN = 100;

const form = document.querySelector("[data-code]");
const { root, ...texts } = form.dataset;
const output = form.querySelector("output");

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

function line({ chainId, address, name, proof }) {
  const href = `${root}contract.html?${new URLSearchParams({ chain: chainId, address })}`;
  const item = element("li", "");
  const link = element("a", visible(name) || address, { href });
  const proofLink = element("a", texts.proof, { href: root + proof });
  item.append(link, " ", element("code", `${chainId}:${address}`), " ", proofLink);
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

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    output.replaceChildren(...await answer(form.elements.runtime.value));
  } catch ({ message }) {
    output.textContent = texts.failed.replace("{reason}", message);
  }
});

form.hidden = false;
document.querySelector("[data-without]").remove();
