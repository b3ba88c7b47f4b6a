// The search over contracts: reads the one or two files that hold what a query begins with.

const form = document.querySelector("form[role=search]");
const input = form.querySelector("input");
const found = document.getElementById("found");
const results = document.getElementById("results");
const ROOT = new URL(form.dataset.root, location.href);
const read = new Map();
const lists = [...document.querySelectorAll("main > section")];
const chains = new Map([...document.querySelectorAll("[data-chain]")].map((row) => [
  row.dataset.chain, { name: row.querySelector("th").textContent, href: row.querySelector("a").href },
]));
let asked = 0;

/** Reads a file of the index once. */
function file(path) {
  if (!read.has(path)) {
    const answer = fetch(new URL(`contracts/search/${path}`, ROOT)).then((got) => {
      if (!got.ok) throw new Error(`${path}: ${got.status}`);
      return got.json();
    });
    answer.catch(() => read.delete(path));
    read.set(path, answer);
  }
  return read.get(path);
}

/** What of a term and of a query is compared; `DOMAIN_SEPARATOR` and `domainSeparator` are alike. */
const compared = (term) => term.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * What a query asks for: lists of pairs of kind and beginning of a term, of which each must be there. A signature is
 * asked for by its hash, a word as one of a contract's name, and of its interface.
 */
async function wanted(query) {
  const signature = query.replace(/^(?:function|event|error)\s+|\s+(?=[,()])|(?<=[,()])\s+/g, "")
    .replace(/(?<=[(,])(u?int)(?=[,)[])/g, "$1256");
  if (/^[A-Za-z_$][\w$]*\([\w$,()[\]]*\)$/.test(signature)) {
    const { selectorOf } = await import("./check.js");
    return [[["selector", selectorOf(signature)]]];
  }
  const hex = /^0x([0-9a-f]*)$/i.exec(query)?.[1].toLowerCase();
  if (hex === undefined) {
    const ofName = words(query).map((word) => ["name", word]);
    return /^[\w$]+$/.test(signature) ? [ofName, [["abi", compared(signature)]]] : [ofName];
  }
  if (hex.length === 64) return [[["selector", hex.slice(0, 8)]]];
  return hex.length <= 8 ? [[["selector", hex]], [["address", hex]]] : [[["address", hex]]];
}

function words(query) {
  const plain = query.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.split(/[^a-z0-9]+/).filter((word) => word.length > 1);
}

/** The contracts, by chain and address, that have a term with this beginning, and how many there are. */
async function contractsOf(kind, beginning, index) {
  const names = index.shards[kind].filter((name) => name.startsWith(beginning) || beginning.startsWith(name));
  const shards = await Promise.all(names.slice(0, 16).map((name) => file(`${kind}/${name}.json`)));
  const contracts = new Map();
  let count = 0;
  for (const shard of shards) {
    for (const [term, [total, ...places]] of Object.entries(shard.terms)) {
      if (!compared(term).startsWith(beginning)) continue;
      count = Math.max(count, total);
      for (const place of places) {
        const contract = shard.contracts[place];
        const key = `${contract[0]}/${contract[1]}`;
        if (!contracts.has(key)) contracts.set(key, [...contract, kind, term]);
      }
    }
  }
  return { contracts, count };
}

async function search(query) {
  const mine = ++asked;
  lists.forEach((list) => { list.hidden = query !== ""; });
  const ways = (await wanted(query)).filter((terms) => terms.some(([, beginning]) => beginning.length > 1));
  if (mine !== asked) return;
  if (!ways.length) {
    results.replaceChildren();
    found.textContent = query ? form.dataset.short : "";
    return;
  }
  try {
    const index = await file("index.json");
    const answers = await Promise.all(ways.map(async (terms) => inAll(
      await Promise.all(terms.map(([kind, beginning]) => contractsOf(kind, beginning, index))),
    )));
    if (mine === asked) show(inAny(answers), index, query);
  } catch {
    if (mine === asked) found.textContent = form.dataset.failed;
  }
}

/** Words of a name must all be there. */
function inAll([first, ...others]) {
  const kept = [...first.contracts].filter(([key]) => others.every(({ contracts }) => contracts.has(key)));
  return { contracts: new Map(kept), count: others.length ? kept.length : first.count };
}

/** A contract that is found in two ways is told once, by the first; so many there are at least. */
function inAny(answers) {
  const contracts = new Map();
  for (const [key, contract] of answers.flatMap((answer) => [...answer.contracts])) {
    if (!contracts.has(key)) contracts.set(key, contract);
  }
  return { contracts, count: Math.max(...answers.map(({ count }) => count)) };
}

function show({ contracts, count }, index, query) {
  const shown = [...contracts.values()].slice(0, 50);
  const named = [...chains.values()].filter(({ name }) => words(name).some((word) => words(query).includes(word)));
  const text = form.dataset[!shown.length && !named.length ? "none" : count > shown.length ? "more" : "some"];
  found.textContent = text
    .replace("{shown}", shown.length + named.length).replace("{count}", Math.max(count, shown.length));
  results.replaceChildren(...named.map(chainItem), ...shown.map((contract) => item(contract, index, query)));
}

function element(name, text, classes = "") {
  return Object.assign(document.createElement(name), { textContent: text, className: classes });
}

function chainItem({ name, href }) {
  const entry = document.createElement("li");
  const link = element("a", name);
  link.href = href;
  entry.append(link);
  return entry;
}

/** A contract, with the words of it that a query begins. */
function item([chain, address, name, language, level, kind, term], index, query) {
  const link = element("a", "");
  link.href = new URL(index.page.replace("{chain_id}", chain).replace("{address}", address), ROOT);
  link.append(...marked(name || address, kind === "name" ? words(query) : []));
  const title = document.createElement("span");
  title.append(link, element("small", ` ${language}`));
  const code = document.createElement("code");
  code.append(...marked(address, kind === "address" ? [query.toLowerCase()] : []));
  const where = document.createElement("span");
  where.append(code);
  const entry = document.createElement("li");
  entry.append(title, element("span", index.levels[level] ?? ""), where, element("small", chains.get(chain)?.name ?? chain));
  if (kind === "selector" || kind === "abi") {
    const because = element("span", "", "because");
    because.append(element("mark", kind === "abi" ? term : `0x${term}`), ` ${query.includes("(") ? query : ""}`);
    entry.append(because);
  }
  return entry;
}

/** A text with the first occurrence of each word marked. */
function marked(text, wanted) {
  const word = wanted.find((one) => text.toLowerCase().includes(one));
  if (!word) return [text];
  const at = text.toLowerCase().indexOf(word);
  return [text.slice(0, at), element("mark", text.slice(at, at + word.length)), text.slice(at + word.length)];
}

let waiting;
input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const query = input.value.trim();
    history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
    search(query);
  }, 120);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.focus();
});


input.value = new URLSearchParams(location.search).get("q") ?? "";
if (input.value) search(input.value.trim());
