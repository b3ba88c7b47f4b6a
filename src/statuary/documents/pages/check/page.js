// "Check it yourself": reads the published record and shows each check as it ends, then asks a node if the reader does.

import { compareWithChain, nodeAt, walletOf } from "./chain.js";
import { checkRecord } from "./record.js";
import { parseJson } from "./values.js";

const SIGNS = { passed: "operational", warned: "degraded_performance", failed: "major_outage" };

/** Runs the check of a section of a page (`contract_check.html`), whose data are the texts and addresses. */
export async function check(section) {
  const { record: url, rules, chainId, address } = section.dataset;
  const say = teller(section, section.querySelector("[role=status]"));
  say("asking");
  try {
    const record = parseJson(await read(url));
    if (record.chainId !== chainId || record.address !== address) return say("other", record);
    const counts = await showChecks(section, record, await rulesOf(rules));
    say(counts.failed ? "bad" : "good", counts);
    if (record.runtimeBytecode?.onchainBytecode) offerNode(section, record);
  } catch ({ message }) {
    say("unread", { reason: message });
  }
}

/** Tells a text of the section in one of its places, with values. */
const teller = (section, place) => (text, values = {}) => {
  place.textContent = section.dataset[text].replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
};

async function read(url) {
  const answer = await fetch(url, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${answer.status} ${url}`);
  return answer.text();
}

/** The rule of each check; none where the site was built without checks. */
async function rulesOf(url) {
  const { checks } = await read(url).then(JSON.parse).catch(() => ({ checks: [] }));
  return new Map(checks.map(({ check, rule }) => [check, rule]));
}

/** Adds a line for each check that applies, those that fail first, and counts how they ended. */
async function showChecks(section, record, rules) {
  const list = section.querySelector("ol");
  list.replaceChildren();
  list.hidden = false;
  const counts = { passed: 0, warned: 0, failed: 0, absent: 0 };
  for (const result of checkRecord(record)) {
    const isShown = result.outcome in SIGNS;
    counts[isShown ? result.outcome : "absent"] += 1;
    const next = result.outcome === "failed" ? list.children[counts.failed - 1] : null;
    if (isShown) list.insertBefore(line(section, result, rules), next ?? null);
    await new Promise((resolve) => setTimeout(resolve)); // the line is shown before the next check begins
  }
  return counts;
}

function line(section, { check, outcome, saw, faults }, rules) {
  const item = section.querySelector("template").content.firstElementChild.cloneNode(true);
  item.querySelector("svg").setAttribute("class", `icon s-${SIGNS[outcome]}`);
  item.querySelector("use").setAttribute("href", `#i-${SIGNS[outcome]}`);
  const [name, rule] = item.querySelectorAll("span");
  name.textContent = `${section.dataset[outcome]}: `;
  rule.textContent = rules.get(check) ?? check.replaceAll("-", " ");
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
function offerNode(section, record) {
  const form = section.querySelector("form");
  const say = teller(section, form.querySelector("[data-node]"));
  const compare = async (ask) => {
    say("asking");
    await compareWithChain(ask, record).then(
      ([text, values]) => say(text, values),
      ({ message }) => say("silent", { reason: message }),
    );
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
