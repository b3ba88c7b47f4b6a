// The difference of two contracts, from their published records: interface, storage and sources, each bounded in size.

const MAX_CELLS = 4_000_000;
const MAX_LINES = 2_000;
const CONTEXT = 3;

/** Compares the two contracts that a form of `contract.html` names, and shows what differs below it. */
export async function compare(section) {
  const { record, address } = section.dataset;
  const status = section.querySelector("[role=status]");
  const found = section.querySelector("[data-found]");
  found.replaceChildren();
  status.textContent = section.dataset.asking;
  try {
    const [before, after] = await Promise.all(["before", "after"].map(async (name) => {
      const url = record.replace(address, section.querySelector("form").elements[name].value);
      const response = await fetch(url);
      if (!response.ok) throw new Error(`${response.status} ${url}`);
      return response.json();
    }));
    found.replaceChildren(
      ...part(section.dataset.abi, listed(interfaceOf(before), interfaceOf(after)), section),
      ...part(section.dataset.storage, storageDifference(before, after, section), section),
      ...part(section.dataset.sources, sourceDifference(before, after), section),
    );
    status.textContent = "";
  } catch ({ message }) {
    status.textContent = section.dataset.unread.replace("{reason}", message);
  }
}

/** A heading and the lines below it; changed lines begin with `+` or `-`. */
function part(title, lines, section) {
  const shown = lines.length ? lines.slice(0, MAX_LINES) : [section.dataset.none];
  if (lines.length > shown.length) shown.push(section.dataset.cut.replace("{lines}", lines.length - shown.length));
  const list = element("pre", "", "code");
  list.tabIndex = 0;
  list.ariaLabel = title;
  list.append(...shown.map((line) => element("span", `${visible(line)}\n`, { "+": "added", "-": "removed" }[line[0]])));
  return [element("h4", title), list];
}

const element = (name, text, className = "") =>
  Object.assign(document.createElement(name), { textContent: text, className });

/** A line with invisible characters written out, such as those that reverse the direction of text. */
const visible = (line) => line.replace(/(?!\t)[\p{Cf}\p{Cc}]/gu, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

/** The entries in which two maps differ, as lines sorted by name. */
function listed(before, after) {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now) return [];
    return [...(old === undefined ? [] : [`- ${name}${old}`]), ...(now === undefined ? [] : [`+ ${name}${now}`])];
  });
}

const typesOf = (inputs) => (inputs ?? []).map(({ type, components }) =>
  components ? type.replace("tuple", `(${typesOf(components)})`) : type
).join();

/** Functions, events and errors by signature, with what else callers see of each. */
function interfaceOf({ abi }) {
  return new Map((abi ?? []).map(({ type, name, inputs, outputs, stateMutability, anonymous }) => [
    `${type} ${name ?? ""}(${typesOf(inputs)})`,
    [
      stateMutability && ` ${stateMutability}`,
      outputs?.length && ` returns (${typesOf(outputs)})`,
      type === "event" && ` indexed (${inputs.map(({ indexed }) => Number(indexed))})`,
      anonymous && " anonymous",
    ].filter(Boolean).join(""),
  ]));
}

function storageDifference(before, after, section) {
  return before.storageLayout && after.storageLayout
    ? listed(storageOf(before.storageLayout), storageOf(after.storageLayout))
    : [section.dataset.unknown];
}

/** The section and type of each variable; of several with one name, each has its number. */
function storageOf({ storage, types }) {
  const variables = new Map();
  for (const { label, slot, offset, type } of storage) {
    let name = label;
    for (let number = 2; variables.has(name); number += 1) name = `${label} (${number})`;
    variables.set(name, `: slot ${slot}, byte ${offset}, ${typeText(type, types)}`);
  }
  return variables;
}

/** A type with the members of the structs in it, whose names stay the same when their members change. */
function typeText(id, types, outer = []) {
  const { label = id, members, base, value, numberOfBytes } = types?.[id] ?? {};
  if (outer.includes(id)) return label;
  const inner = (one) => typeText(one, types, [...outer, id]);
  const held = members?.map((one) => `${one.label}: ${one.slot}.${one.offset} ${inner(one.type)}`).join("; ");
  if (held !== undefined) return `${label} { ${held} } (${numberOfBytes} bytes)`;
  const item = base ?? value;
  return item && inner(item) !== types?.[item]?.label ? `${label} of ${inner(item)}` : label;
}

function sourceDifference(before, after) {
  const text = ({ sources }, path) => sources?.[path]?.content.split(/\r?\n/) ?? [];
  const paths = new Set([...Object.keys(before.sources ?? {}), ...Object.keys(after.sources ?? {})]);
  return [...paths].sort().flatMap((path) => {
    const lines = [...unified(text(before, path), text(after, path))];
    return lines.length ? [`=== ${path}`, ...lines] : [];
  });
}

/** The lines of a unified difference; where two texts are too long to align, all of one and all of the other. */
function* unified(before, after) {
  const steps = aligned(before, after);
  const near = (at) => steps.slice(Math.max(at - CONTEXT, 0), at + CONTEXT + 1).some(([sign]) => sign !== " ");
  let [old, now, isOpen] = [1, 1, false];
  for (const [at, [sign, line]] of steps.entries()) {
    const isShown = near(at);
    if (isShown && !isOpen) yield `@@ ${old} → ${now} @@`;
    if (isShown) yield `${sign}${line}`;
    isOpen = isShown;
    if (sign !== "+") old += 1;
    if (sign !== "-") now += 1;
  }
}

/** Each line of both texts, with whether it is of the first, of the second or of both. */
function aligned(before, after) {
  let [start, end] = [0, 0];
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const both = (lines) => lines.map((line) => [" ", line]);
  return [...both(before.slice(0, start)), ...changed(old, now), ...both(before.slice(before.length - end))];
}

/** The shortest way from one text to another: the longest common subsequence of their lines. */
function changed(old, now) {
  const width = now.length + 1;
  const isLong = width * (old.length + 1) > MAX_CELLS;
  const common = new Uint16Array(isLong ? 0 : width * (old.length + 1));
  for (let i = isLong ? -1 : old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [down, right] = [common[(i + 1) * width + j], common[i * width + j + 1]];
      common[i * width + j] = old[i] === now[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(down, right);
    }
  }
  const steps = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (!isLong && i < old.length && j < now.length && old[i] === now[j]) {
      steps.push([" ", old[i++]]);
      j += 1;
      continue;
    }
    const isOld = isLong || common[(i + 1) * width + j] >= common[i * width + j + 1];
    if (j === now.length || (i < old.length && isOld)) {
      steps.push(["-", old[i++]]);
    } else steps.push(["+", now[j++]]);
  }
  return steps;
}
