// "Check it yourself": reads the published record and shows each check as it ends, then compares with a node on demand.

import { provesCode } from "./anchor.js";
import { compareWithChain, nodeAt, walletOf } from "./chain.js";
import { checkRecord } from "./record.js";
import { parseJson } from "./values.js";

const SIGNS = { passed: "ok", warned: "degraded", failed: "major", left: "none" };

/** Runs the check of a section of a page (`contract_check.html`), whose data are the texts and addresses. */
export async function check(section) {
  const { record: url, rules, proof, chainId, address } = section.dataset;
  const show = textWriter(section, section.querySelector("[role=status]"));
  show(["asking"]);
  try {
    const record = parseJson(await read(url));
    if (record.chainId !== chainId || record.address !== address) return show(["other", record]);
    const published = await readJson(proof);
    const counts = await showChecks(section, everyCheck(record, published), await rulesOf(rules));
    show([counts.failed ? "bad" : "good", counts]);
    if (record.runtimeBytecode?.onchainBytecode) offerNode(section, record, blocksOf(published));
  } catch ({ message }) {
    show(["unread", { reason: message }]);
  }
}

/** Shows texts of the section in one of its elements, each with its values. */
const textWriter = (section, element) => (...parts) => {
  const texts = parts.map(([text, values]) =>
    section.dataset[text].replace(/\{(\w+)\}/g, (_whole, name) => values[name])
  );
  element.textContent = texts.join(" ");
};

async function read(url) {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${response.status} ${url}`);
  return response.text();
}

/** A document that some sites lack. */
const readJson = (url) => read(url).then(JSON.parse).catch(() => ({}));

/** The blocks that a proof is under, which a node of the reader's can confirm. */
const blocksOf = ({ anchor }) => [anchor?.block, anchor?.deployment?.block].filter(Boolean);

function* everyCheck(record, { anchor, claims }) {
  yield* checkRecord(record);
  const { status, reason } = claims?.onChain ?? {};
  if (!anchor?.block || status === "not_shown") return;
  const faults = status === "contradicted" ? [{ message: reason }] : [];
  const isProven = !faults.length && provesCode(anchor, record.address, record.runtimeBytecode?.onchainBytecode);
  const { number, hash } = anchor.block;
  yield { check: "anchor", outcome: isProven ? "passed" : "failed", saw: `block ${number}, ${hash}`, faults };
}

/** The rule of each check, in English as in proofs. */
async function rulesOf(url) {
  const { checks = [] } = await readJson(url);
  return new Map(checks.map(({ check, rule }) => [check, rule]));
}

/** Adds a line for each check that applies, failed ones first, and for each rule that is left to builds; counts both. */
async function showChecks(section, results, rules) {
  const list = section.querySelector("ol");
  list.replaceChildren();
  list.hidden = false;
  const counts = { passed: 0, warned: 0, failed: 0, absent: 0, left: 0 };
  const unchecked = new Set(rules.keys());
  for (const result of results) {
    unchecked.delete(result.check);
    const isShown = result.outcome in SIGNS;
    counts[isShown ? result.outcome : "absent"] += 1;
    const next = result.outcome === "failed" ? list.children[counts.failed - 1] : null;
    if (isShown) list.insertBefore(line(section, result, rules), next ?? null);
    await new Promise((resolve) => setTimeout(resolve)); // the line is shown before the next check begins
  }
  for (const check of unchecked) {
    list.append(line(section, { check, outcome: "left", saw: "", faults: [] }, rules));
  }
  counts.left = unchecked.size;
  return counts;
}

function line(section, { check, outcome, saw, faults }, rules) {
  const item = section.querySelector("template").content.firstElementChild.cloneNode(true);
  item.querySelector("svg").setAttribute("class", `icon s-${SIGNS[outcome]}`);
  item.querySelector("use").setAttribute("href", `#i-${SIGNS[outcome]}`);
  const [name, rule] = item.querySelectorAll("span");
  name.textContent = `${section.dataset[outcome]}: `;
  name.classList.toggle("hidden-text", outcome !== "left"); // its sign alone does not say that
  rule.textContent = rules.get(check) ?? section.dataset[check] ?? check.replaceAll("-", " ");
  item.querySelector("small").textContent = saw;
  for (const { pointer, message } of faults) {
    const finding = document.createElement("span");
    finding.className = "finding";
    finding.textContent = [pointer, message].filter(Boolean).join(": ");
    item.querySelector("p").append(document.createElement("br"), finding);
  }
  return item;
}

/** Offers to compare the record with the chain: by the reader's wallet, or by a node at an address. */
function offerNode(section, record, blocks) {
  const form = section.querySelector("form");
  const show = textWriter(section, form.querySelector("[data-node]"));
  const compare = async (ask) => {
    show(["asking"]);
    const answers = await compareWithChain(ask, record, blocks).catch((
      { message },
    ) => [["silent", { reason: message }]]);
    show(...answers);
  };
  form.hidden = false;
  form.onsubmit = (event) => {
    event.preventDefault();
    compare(nodeAt(form.elements.rpc.value));
  };
  const wallet = form.querySelector("[data-wallet]");
  wallet.hidden = !globalThis.ethereum;
  wallet.onclick = () => compare(walletOf(globalThis.ethereum));
}
