// The search over contracts: reads the one or two files that hold what a query begins with; filters choose among what they list.

const form = document.querySelector("form[role=search]");
const input = form.querySelector("input");
const filters = [...form.querySelectorAll("select")];
const found = document.getElementById("found");
const results = document.getElementById("results");
const ROOT = new URL(form.dataset.root, location.href);
const read = new Map();
const lists = [...document.querySelectorAll("main > .wrap > :is(section, .links, .contracts, .pager)")];
const chains = new Map([...document.querySelectorAll("tr[data-chain]")].map((row) => [
  row.dataset.chain, { name: row.querySelector("th").textContent, href: row.querySelector("a").href },
]));
const KINDS = { name: "name", all: "name", address: "address", abi: "interface", selector: "interface" };
let latestSearch = 0;

/** Reads a file of the index once. */
function file(path) {
  if (!read.has(path)) {
    const shard = fetch(new URL(`contracts/search/${path}`, ROOT)).then((response) => {
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      return response.json();
    });
    shard.catch(() => read.delete(path));
    read.set(path, shard);
  }
  return read.get(path);
}

/** The characters of a term or query that are compared; `DOMAIN_SEPARATOR` and `domainSeparator` are equal. */
const compared = (term) => term.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * The terms that a query needs: lists of pairs of kind and beginning of a term, each of which must occur. A signature is
 * searched by its hash, a word in names and interfaces.
 */
async function wanted(query) {
  const signature = query.replace(/^(?:function|event|error)\s+/, "").replace(/\s*([,()])\s*/g, "$1")
    .replace(/([(,])(u?int)(?=[,)[])/g, "$1$2256");
  if (/^[A-Za-z_$][\w$]*\([\w$,()[\]]*\)$/.test(signature)) {
    const { keccakHex, utf8 } = await import("./record-parts.js");
    return [[["selector", keccakHex(utf8(signature)).slice(0, 8)]]];
  }
  const hex = /^0x([0-9a-f]*)$/i.exec(query)?.[1].toLowerCase();
  if (hex !== undefined) return hexTerms(hex);
  const ofName = words(query).map((word) => ["name", word]);
  const ways = /^[\w$]+$/.test(signature) ? [ofName, [["abi", compared(signature)]]] : [ofName];
  return /^(?=.*\d)[0-9a-f]{3,64}$/i.test(query) ? [...ways, ...hexTerms(query.toLowerCase())] : ways;
}

/** The terms that digits begin: an address, or the hash of a signature. */
function hexTerms(hex) {
  if (hex.length === 64) return [[["selector", hex.slice(0, 8)]]];
  return hex.length <= 8 ? [[["selector", hex]], [["address", hex]]] : [[["address", hex]]];
}

/** Whether two words are equal but for one letter that is missing, added, wrong, or exchanged with the next. */
function isNear(one, other) {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [left, right] = [one.slice(start), other.slice(start)];
  return left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2));
}

/** The terms of names, as they are written, that a word with a typing error may mean; its first letter is right. */
async function corrected(query, index) {
  const [word, ...others] = words(query);
  if (!word || word.length < 4 || others.length) return [];
  const names = index.shards.name.filter((name) => name[0] === word[0]).slice(0, 16);
  const shards = await Promise.all(names.map((name) => file(`name/${name}.json`)));
  const terms = shards.flatMap((shard) => Object.keys(shard.terms));
  return [...new Set(terms.filter((term) => isNear(word, term) || isNear(word, term.slice(0, word.length))))].slice(0, 8);
}

function words(query) {
  const plain = query.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.split(/[^a-z0-9]+/).filter((word) => word.length > 1);
}

/** The contracts, by chain and address, that have a term with this beginning, and how many there are. */
async function contractsOf(kind, beginning, index, language = "") {
  const names = index.shards[kind].filter((name) => name.startsWith(beginning) || beginning.startsWith(name));
  const shards = await Promise.all(names.slice(0, 16).map((name) => file(`${kind}/${name}.json`)));
  const contracts = new Map();
  let count = 0;
  for (const shard of shards) {
    for (const [term, [total, ...positions]] of Object.entries(shard.terms)) {
      if (!compared(term).startsWith(beginning)) continue;
      const chosen = positions.map((position) => shard.contracts[position]).filter((contract) => isChosen(contract) && contract[3].startsWith(language));
      const facets = Object.entries(shard.facets[term] ?? {});
      const inFacets = facets.filter(([facet]) => isChosen(facet.replace(" ", "   ").split(" ")));
      count = Math.max(count, isFiltered() || form.dataset.chain ? inFacets.reduce((sum, [, some]) => sum + some, 0) || chosen.length : total);
      for (const contract of chosen) {
        const key = `${contract[0]}/${contract[1]}`;
        if (!contracts.has(key)) contracts.set(key, [...contract, kind, term]);
      }
    }
  }
  return { contracts, count };
}

const isFiltered = () => filters.some(({ value }) => value);

/** Whether the filters let a contract through; its parts are those of a row of the index. */
function isChosen([chain, , , written, level, proxy]) {
  const { language, match, proxy: kind } = form.elements;
  return (!form.dataset.chain || chain === form.dataset.chain) && (!language.value || written.split(" ")[0] === language.value) && (!match.value || level === match.value) &&
    (!kind.value || (kind.value === "yes") === (proxy !== ""));
}

async function search(query) {
  const thisSearch = ++latestSearch;
  const all = query === "" && isFiltered();
  lists.forEach((list) => { list.hidden = query !== "" || all; });
  const ways = all ? [[["all", ""]]]
    : (await wanted(query)).filter((terms) => terms.some(([, beginning]) => beginning.length > 1));
  if (thisSearch !== latestSearch) return;
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
    const language = [...form.elements.language.options].find(({ value }) => value && value.toLowerCase() === query.toLowerCase());
    if (language) answers.push(await contractsOf("all", "", index, language.value));
    if (!answers.some(({ contracts }) => contracts.size)) {
      const terms = await corrected(query, index);
      answers.push(...await Promise.all(terms.map((term) => contractsOf("name", term, index))));
    }
    if (thisSearch === latestSearch) show(inAny(answers), index, query);
  } catch {
    if (thisSearch === latestSearch) found.textContent = form.dataset.failed;
  }
}

/** The contracts that have all words of a name. */
function inAll([first, ...others]) {
  const kept = [...first.contracts].filter(([key]) => others.every(({ contracts }) => contracts.has(key)));
  return { contracts: new Map(kept), count: others.length ? kept.length : first.count };
}

/** The contracts found in any way, each once; the count is a lower bound. */
function inAny(answers) {
  const contracts = new Map();
  for (const [key, contract] of answers.flatMap((answer) => [...answer.contracts])) {
    if (!contracts.has(key)) contracts.set(key, contract);
  }
  return { contracts, count: Math.max(...answers.map(({ count }) => count)) };
}

function show({ contracts, count }, index, query) {
  const shown = [...contracts.values()].slice(0, 50);
  const named = isFiltered() ? [] : [...chains.values()].filter(({ name }) => words(name).some((word) => words(query).includes(word)));
  const many = shown.length + named.length;
  const text = form.dataset[!many ? "none" : count > shown.length ? "more" : many === 1 ? "one" : "some"];
  found.textContent = text
    .replace("{shown}", many).replace("{count}", Math.max(count, shown.length));
  const kinds = new Map();
  for (const contract of shown) {
    const kind = KINDS[contract[8]];
    kinds.set(kind, [...(kinds.get(kind) ?? []), contract]);
  }
  const heads = (kind) => kinds.size > 1 ? [element("li", `${form.dataset[kind]}: ${kinds.get(kind).length}`, "kind note")] : [];
  results.replaceChildren(...named.map(chainItem), ...[...kinds].flatMap(([kind, contracts]) =>
    [...heads(kind), ...contracts.map((contract) => item(contract, index, query))]));
}

function element(name, text, classes = "") {
  return Object.assign(document.createElement(name), { textContent: text, className: classes });
}

/** A drawing that screen readers skip. */
function drawing(attributes, parts) {
  const svg = (tag, values) => Object.entries(values).reduce((made, [key, value]) => (made.setAttribute(key, value), made),
    document.createElementNS("http://www.w3.org/2000/svg", tag));
  const drawn = svg("svg", { ...attributes, "aria-hidden": "true", focusable: "false" });
  drawn.append(...parts.map(([tag, values]) => svg(tag, values)));
  return drawn;
}

/** The sign of a state, of the page's own sprite. */
const signOf = (name) => drawing({ class: "icon" }, [["use", { href: `#i-${name}` }]]);

/** The trail of a contract, drawn small as in the lists. */
function smallTrail(signs) {
  const names = { o: "ok", s: "stated", n: "none", m: "major" };
  const strokes = signs.split("-").flatMap((letters, part) => [...letters].map((letter, at) => ["path", {
    class: `to-${names[letter]}`, d: `M${8 + 18 * part} ${letters.length > 1 ? 3 + 4 * at : 5}h10`,
  }]));
  return drawing({ class: "small-trail", viewBox: "0 0 62 10" }, [
    ["path", { d: "M1 2h6v6H1zM19 2h6v6h-6zM37 2h6v6h-6zM55 2h6v6h-6z" }], ...strokes,
  ]);
}

function chainItem({ name, href }) {
  const entry = document.createElement("li");
  const link = element("a", name);
  link.href = href;
  entry.append(link);
  return entry;
}

/** The list item of a contract, with the searched words marked. */
function item([chain, address, name, language, level, proxy, verdict, trail, kind, term], index, query) {
  const link = element("a", "");
  link.href = new URL(index.page.replace("{chain_id}", chain).replace("{address}", address), ROOT);
  link.append(...marked(name || address, kind === "name" ? words(query) : []));
  const title = document.createElement("span");
  title.append(link, element("small", ` ${language}`));
  const code = document.createElement("code");
  code.append(...marked(address, kind === "address" ? [query.toLowerCase().replace(/^0x/, "")] : []));
  const where = document.createElement("span");
  where.append(code);
  const entry = document.createElement("li");
  if (proxy) title.append(" ", element("span", form.dataset.proxy, "tag quiet"));
  const [sign, text] = index.verdicts[verdict];
  const state = element("span", "", `state s-${sign}`);
  state.append(signOf(sign), element("span", text), ...(index.levels[level] ? [element("small", index.levels[level])] : []));
  entry.append(title, state, where, element("small", chains.get(chain)?.name ?? chain));
  if (trail) entry.append(smallTrail(trail));
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

/** Searches for what the field and the filters say, which the address of the page says too. */
function update() {
  const query = input.value.trim();
  const said = new URLSearchParams([["q", query], ...filters.map(({ name, value }) => [name, value])].filter(([, value]) => value));
  history.replaceState(null, "", String(said) ? `?${said}` : location.pathname);
  search(query);
}

let waiting;
input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(update, 120);
});
for (const filter of filters) filter.addEventListener("change", update);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.focus();
});
form.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLSelectElement) return;
  const links = [...results.querySelectorAll("a")];
  const place = links.indexOf(document.activeElement);
  const target = { ArrowDown: links[place + 1], ArrowUp: place > 0 ? links[place - 1] : input, Escape: input }[event.key];
  if (!target) return;
  event.preventDefault();
  target.focus();
  if (event.key === "Escape" && place < 0 && input.value) {
    input.value = "";
    update();
  }
});

const asked = new URLSearchParams(location.search);
input.value = asked.get("q") ?? "";
for (const filter of filters) {
  const value = asked.get(filter.name) ?? "";
  if ([...filter.options].some((option) => option.value === value)) filter.value = value;
}
if (input.value || isFiltered()) search(input.value.trim());
