// Verifies in the browser that what a page shows is in the site's transparency log (c2sp.org/tlog-proof, RFC 6962).

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const joined = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
const utf8 = (text) => new TextEncoder().encode(text);
/** Return an error that the page says in its language: the text `log.cause.NAME` with values. */
const fault = (message, name, values = {}) => new Error(message, { cause: { name, values } });
const isSignature = (line) => /^— [^\s+]+ [A-Za-z0-9+/]+={0,2}$/.test(line);

/** Return the bytes of canonical base64; `atob` also accepts other encodings of them. */
function base64(text) {
  const bytes = atob(text);
  if (btoa(bytes) !== text) throw fault("a line is not base64", "form");
  return Uint8Array.from(bytes, (one) => one.charCodeAt(0));
}

/** Return the parts of a .tlog-proof file. */
export function parseProof(text) {
  const end = text.indexOf("\n\n");
  const [header, ...lines] = text.slice(0, end).split("\n");
  if (header !== "c2sp.org/tlog-proof@v1" || !lines[0]?.startsWith("extra ") || !/^index (0|[1-9]\d*)$/.test(lines[1])) {
    throw fault("this is not a proof of this site's log", "form");
  }
  const checkpoint = text.slice(end + 2);
  const body = checkpoint.slice(0, checkpoint.lastIndexOf("\n\n") + 1);
  const [origin, size, root] = body.split("\n");
  const signatures = checkpoint.slice(body.length + 1).split("\n");
  if (signatures.pop() !== "" || !signatures.every(isSignature) || !/^(0|[1-9]\d*)$/.test(size)) {
    throw fault("this is not a checkpoint with signatures", "form");
  }
  return {
    entry: base64(lines[0].slice(6)),
    index: BigInt(lines[1].slice(6)),
    hashes: lines.slice(2).map(base64),
    body,
    signatures,
    origin,
    size: BigInt(size),
    root: hex(base64(root)),
  };
}

/** Return the root that the hash of an entry and its inclusion proof lead to (RFC 9162, 2.1.3.2), in hex. */
export async function rootOf(leaf, { index, size, hashes }) {
  let position = index;
  let last = size - 1n;
  if (position > last) throw fault("the log has no such entry", "form");
  let found = leaf;
  for (const sibling of hashes) {
    if (last === 0n) throw fault("the proof is too long", "path");
    if (position & 1n || position === last) {
      found = await sha256(joined([1], sibling, found));
      while (position && !(position & 1n)) [position, last] = [position >> 1n, last >> 1n];
    } else {
      found = await sha256(joined([1], found, sibling));
    }
    [position, last] = [position >> 1n, last >> 1n];
  }
  if (last !== 0n) throw fault("the proof is too short", "path");
  return hex(found);
}

/** Return whether the checkpoint is signed with a key; null where the browser cannot tell. */
export async function isSigned(proof, publicKey) {
  const [name, , encoded] = publicKey.split("+");
  const raw = base64(publicKey.slice(name.length + 10));
  const id = (await sha256(joined(utf8(`${name}\n`), raw))).slice(0, 4);
  if (!encoded || name !== proof.origin) return false;
  for (const line of proof.signatures) {
    const [, signer, signature] = line.split(" ");
    const bytes = base64(signature);
    if (signer !== name || hex(bytes.slice(0, 4)) !== hex(id)) continue;
    try {
      const key = await crypto.subtle.importKey("raw", raw.slice(1), "Ed25519", false, ["verify"]);
      return await crypto.subtle.verify("Ed25519", key, bytes.slice(4), utf8(proof.body));
    } catch {
      return null;
    }
  }
  return false;
}

const authoredUpdate = (isPlanned) => (update) => [
  update.id,
  update.status,
  update.body,
  update.display_at,
  isPlanned ? [] : (update.affected_components ?? []).map((one) => [one.code, one.new_status]),
];

/** Return what an author wrote of an incident, as the log's entries name it (`list_authored_incident_values` in Python). */
export function authoredIncident(document) {
  const { incident } = JSON.parse(new TextDecoder().decode(document));
  const isPlanned = "scheduled_for" in incident;
  const window = [incident.scheduled_for ?? null, incident.scheduled_until ?? null];
  const updates = incident.incident_updates.map(authoredUpdate(isPlanned));
  return utf8(JSON.stringify([incident.id, incident.name, window, incident.components.map((one) => one.id), updates]));
}

/** Verify that a document is the one that the entry of a proof names, and that the entry is in the log. */
export async function verify(proof, document) {
  const entry = JSON.parse(new TextDecoder().decode(proof.entry));
  const digest = hex(await sha256(entry.kind === "incident" ? authoredIncident(document) : document));
  if (digest !== entry.sha256 && digest !== entry.proofSha256) {
    const message = `the document has the SHA-256 ${digest}, and entry ${proof.index} names ${entry.sha256}`;
    throw fault(message, "document", { number: proof.index });
  }
  const leaf = await sha256(joined([0], proof.entry));
  if ((await rootOf(leaf, proof)) !== proof.root) throw fault("it does not lead to the root of the checkpoint", "path");
  return entry;
}

async function bytesOf(url) {
  const response = await fetch(url);
  const path = new URL(url, location.href).pathname;
  const { status } = response;
  if (!response.ok) throw fault(`${path}: ${status}`, "request", { path, status });
  return new Uint8Array(await response.arrayBuffer());
}

/** Return a text with values in the places of their names. */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

/** Return a cause in the language of the page; what has none there, as it is. */
function told(dataset, { name, values } = {}, message) {
  const text = dataset[`cause${String(name).charAt(0).toUpperCase()}${String(name).slice(1)}`];
  return text === undefined ? message : filled(text, values ?? {});
}

/** Return what the site itself says is wrong with its log; empty if it says nothing. */
async function faultOf(dataset) {
  try {
    const { at, reason, cause, values } = JSON.parse(new TextDecoder().decode(await bytesOf(dataset.fault)));
    return filled(dataset.behind, { at, reason: told(dataset, { name: cause, values }, reason) });
  } catch {
    return "";
  }
}

async function show(line) {
  const { dataset } = line;
  const result = line.querySelector("[role=status]");
  try {
    const [proofText, document, about] = await Promise.all([dataset.proof, dataset.document, dataset.key].map(bytesOf));
    const proof = parseProof(new TextDecoder().decode(proofText));
    await verify(proof, document);
    const log = JSON.parse(new TextDecoder().decode(about));
    const signed = await isSigned(proof, log.publicKey);
    if (signed === false) throw fault("the checkpoint is not signed with the log's key", "signature");
    const parts = [
      dataset.holds.replace("{number}", String(proof.index)),
      ...(signed ? [] : [dataset.unsigned]),
      ...(log.exampleKey ? [dataset.example] : signed ? [dataset.signed] : []),
    ];
    result.textContent = parts.join(" ");
    line.classList.add("holds");
  } catch (error) {
    const reason = told(dataset, error.cause, error.message);
    const parts = [filled(dataset.fails, { reason }), await faultOf(dataset)];
    result.textContent = parts.filter(Boolean).join(". ");
    line.classList.add("fails");
  }
}

if (typeof document !== "undefined" && globalThis.crypto?.subtle) {
  for (const line of document.querySelectorAll(".logged")) show(line);
}
