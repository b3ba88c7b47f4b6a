// "What a wallet shows" of a contract's page: each function with its sentence, and a box for a call or a message.

import { functionOf, namesOf, renderCall, renderMessage } from "./render.js";
import { encodeType } from "./types.js";
import { bytesOf, entriesOf, isObject, member, NotShown, parseJson, refuseIf } from "./values.js";

const MOST_ROUNDS = 4; // of descriptors that calls within a call need

async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${url}`);
  return parseJson(await response.text());
}

/** A descriptor merged over what it includes: its own values win, and fields of one path become one. */
export function merged(included, own) {
  const values = new Map(Object.entries(included));
  for (const [key, value] of Object.entries(own)) {
    const before = values.get(key);
    if (isObject(value) && isObject(before)) values.set(key, merged(before, value));
    else if (key === "fields" && Array.isArray(value) && Array.isArray(before)) {
      values.set(key, mergedFields(before, value));
    } else values.set(key, value);
  }
  return Object.fromEntries(values);
}

function mergedFields(included, own) {
  const fields = [...included];
  for (const item of own) {
    const path = member(item, "path");
    const place = typeof path === "string" ? included.findIndex((one) => member(one, "path") === path) : -1;
    if (place < 0) fields.push(item);
    else fields[place] = merged(fields[place], item);
  }
  return fields;
}

/** A descriptor of the site with what it includes, and the examples of its tests. */
async function load(base, path) {
  const examples = await read(`${base}examples/${path}`);
  const files = await Promise.all(examples.files.map((file) => read(base + file)));
  const value = files.reduceRight((included, own) => merged(included, own));
  return { ...examples, value, names: namesOf(examples.dataProvider, examples.chains) };
}

// ── a call or a message that a reader pastes ─────────────────────────────────────────────────────────────────────

/** What a reader has pasted: a call of the contract, or a message. */
export function parsePasted(text, { chain, address }, value) {
  const plain = text.trim();
  if (!plain.startsWith("{")) return { call: callOf({ data: plain }, chain, address, value) };
  let pasted;
  try {
    pasted = parseJson(plain);
  } catch (error) {
    throw new NotShown(error.message);
  }
  return member(pasted, "primaryType") === undefined
    ? { call: callOf(pasted, chain, address, value) }
    : { message: pasted };
}

function callOf(pasted, chainId, address, value) {
  const data = bytesOf(String(member(pasted, "data") ?? member(pasted, "input")).replace(/\s+/g, ""));
  refuseIf(!data || data.length < 4, "this is not hex that begins with a selector");
  const from = member(pasted, "from");
  const paid = String(member(pasted, "value") ?? value);
  refuseIf(!/^(0x[0-9a-fA-F]+|\d{1,78})$/.test(paid), `the value ${paid} is not a whole number`);
  return { chainId, to: address.toLowerCase(), data, value: BigInt(paid), from: from?.toLowerCase() };
}

/** What a wallet shows of a call or message, by the first descriptor that has a format for it. */
export async function shownOf(pasted, descriptors, base) {
  const loaded = new Map(); // by contract, for calls within the call
  const index = await read(`${base}index.calldata.json`);
  let reason;
  for (const descriptor of descriptors) {
    for (let round = 0; round <= MOST_ROUNDS; round++) {
      const wanted = new Set();
      try {
        const shown = render(pasted, descriptor, loaded, index, wanted);
        if (!wanted.size || round === MOST_ROUNDS) return shown;
      } catch (error) {
        if (!(error instanceof NotShown)) throw error;
        reason = error;
        break;
      }
      for (const key of wanted) loaded.set(key, await load(base, index[key]));
    }
  }
  throw reason;
}

function render({ call, message }, { value, names }, loaded, index, wanted) {
  const inner = (one, depth) => {
    const key = `eip155:${one.chainId}:${one.to}`;
    if (!Object.hasOwn(index, key) || one.data.length < 4) return undefined;
    if (!loaded.has(key)) {
      wanted.add(key);
      return undefined;
    }
    try {
      return renderCall(loaded.get(key).value, one, names, inner, depth);
    } catch (error) {
      if (error instanceof NotShown) return undefined;
      throw error;
    }
  };
  if (call) return renderCall(value, call, names, inner);
  return renderMessage(value, { ...message, key: encodeType(message.primaryType, message.types) }, names, inner);
}

// ── what the page shows ──────────────────────────────────────────────────────────────────────────────────────────

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
const note = (text) => Object.assign(element("p", text), { className: "note" });

function sentence({ intent, interpolatedIntent }) {
  if (interpolatedIntent) return interpolatedIntent;
  return isObject(intent)
    ? entriesOf(intent).map(([label, text]) => `${label}: ${text}`).join(", ")
    : String(intent ?? "");
}

/** The fields of what is shown; a call within the call is shown inside. */
function fieldList(shown, texts) {
  const rows = shown.fields.flatMap(({ label, value, isKnown = true }) => {
    const about = isKnown ? [] : [" ", element("small", texts.unknown)];
    const inside = isObject(value) ? [element("p", sentence(value)), fieldList(value, texts)] : [value, ...about];
    return [element("dt", label), element("dd", ...inside)];
  });
  return element("dl", ...rows);
}

function functionItem(key, spec, proof, { examples, value }, { chain, address, ...texts }) {
  const isMessage = member(member(value, "context"), "eip712") !== undefined;
  const own = examples.filter((one) => one.key === key);
  const isHere = (one) => one.chainId === chain && one.to === address.toLowerCase();
  const example = own.find(isHere) ?? own[0];
  const says = Object.assign(element("span", sentence(example?.shown ?? spec)), { className: "says" });
  const hash = Object.assign(element("code", isMessage ? "EIP-712" : functionOf(key)?.selector ?? ""), {
    className: "digits",
  });
  const summary = element(
    "summary",
    hash,
    element("code", element("strong", key.split("(")[0]), key.slice(key.indexOf("("))),
    says,
  );
  const more = Object.assign(element("div"), { className: "item-more" });
  if (example) {
    more.append(note(filled(texts.example, example)), fieldList(example.shown, texts));
  }
  const hidden = member(proof?.functions?.find((one) => one.key === key), "hidden") ?? [];
  if (hidden.length) more.append(note(filled(texts.hides, { paths: hidden.join(", ") })));
  return Object.assign(element("details", summary, more), { className: "item" });
}

/** The folder of all documents of descriptors. */
const folderOf = ({ signing }) => signing.replace(/index\.json$/, "");

function descriptorPart(descriptor, proof, section) {
  const texts = section.dataset;
  const status = member(member(member(proof, "claims"), "fits"), "status");
  const formats = entriesOf(member(member(descriptor.value, "display"), "formats"));
  const items = formats.map(([key, spec]) => functionItem(key, spec, proof, descriptor, texts));
  const list = Object.assign(element("div", ...items), { className: "items panel" });
  const [before, after] = texts.source.split("{path}");
  const link = Object.assign(element("a", descriptor.descriptor), {
    href: folderOf(texts) + descriptor.descriptor,
  });
  const source = element("h3", before, link, after ?? "");
  const fits = note(status === "verified_here" ? texts.verified : texts.other);
  const without = member(proof, "withoutFormat") ?? [];
  return [source, fits, list, ...(without.length ? [note(`${texts.without} ${without.join(", ")}`)] : [])];
}

function enableBox(section, descriptors) {
  const [form, texts] = [section.querySelector("form"), section.dataset];
  const output = form.querySelector("output");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.textContent = texts.asking;
    try {
      const pasted = parsePasted(
        form.querySelector("textarea").value,
        texts,
        form.querySelector("input").value || "0",
      );
      const shown = await shownOf(pasted, descriptors, folderOf(texts));
      output.replaceChildren(element("p", element("strong", sentence(shown))), fieldList(shown, texts));
    } catch (error) {
      output.textContent = filled(texts.unread, { reason: error.message });
    }
  });
}

/** Shows the descriptors that are bound to a contract, by their paths. */
export async function showDescriptors(section, paths) {
  const { chain, address } = section.dataset;
  const folder = folderOf(section.dataset);
  const proofs = await read(`${folder}proof/${chain}/${address.toLowerCase()}.json`);
  const descriptors = await Promise.all(paths.map((path) => load(folder, path)));
  const proofOf = ({ descriptor }) => proofs.descriptors.find((one) => one.path === descriptor);
  section.querySelector("[data-descriptors]").replaceChildren(
    ...descriptors.flatMap((one) => descriptorPart(one, proofOf(one), section)),
  );
  enableBox(section, descriptors);
  section.hidden = false;
  const link = Object.assign(element("a", section.querySelector("h2").textContent), { href: "#clear-signing" });
  document.querySelector('.sections a[href="#interface"]')?.parentElement.after(element("li", link));
}
