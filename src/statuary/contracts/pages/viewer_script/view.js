// What the page of a contract shows, of its record and its proof (`contracts/pages/page.py` and `proof.py`).

import { asList, asObject, asText, at, isSize } from "../check/values.js";
import { codeView } from "./code.js";
import { interfaceView } from "./interface.js";
import { sourceViews } from "./sources.js";
import { storageView } from "./storage.js";
import { natspecText, oneLine, visibleName, visibleText } from "./texts.js";

const LONGEST_SETTINGS = 50_000;
const OUTCOMES = { failed: "major", warned: "degraded", passed: "ok" };
const CLAIMS = {
  consistent: "consistent",
  matches: "matches",
  hashed: "hashed",
  compiled: "compiled",
  onChain: "on_chain",
  deployed: "deployed",
};
const STATUS = {
  verified_here: ["verified", "ok"],
  stated_by_a_file: ["stated", "stated"],
  not_shown: ["not_shown", "none"],
  contradicted: ["contradicted", "major"],
};
const STRENGTH = ["chain", "hash", "compiled", "stated", "self-consistent", "claimed"];
const GREEN_PINS = ["chain", "hash", "compiled"];
const PIN_TEXTS = { "self-consistent": "consistent" };
const CONTRADICTED = [
  "runtime_differs",
  "recorded_differs",
  "runtime_empty",
  "no_code",
  "other_code",
  "compiles_otherwise",
];
const PARTS = {
  sources: ["sources"],
  interface: ["abi"],
  descriptions: ["userdoc", "devdoc"],
  storage: ["storageLayout"],
  transient: ["transientStorageLayout"],
  code: ["runtimeBytecode.onchainBytecode"],
  lines: ["runtimeBytecode.sourceMap"],
  settings: ["compilation.compilerSettings"],
  deployment: ["deployment.transactionHash", "deployment.blockNumber", "deployment.deployer"],
};

/** The parts of a page that the chain's proofs show, whatever the record says. */
const PROVEN_PARTS = { onChain: "code", deployed: "deployment" };

/**
 * The content of the page.
 * @param site the chains, the rules of checks and the verdicts of the site
 * @param implementations the addresses, of those that a proxy calls, that have a record here
 */
export function contractView(record, proof, site, t, moment, implementations) {
  const { chainId, address } = record;
  const chain = site.chains[chainId] ?? { title: chainId, rpc: "", explorer: "" };
  const context = { record, proof, site, chain, t, moment };
  const compilation = asObject(record.compilation);
  const language = asText(compilation.language);
  const fullName = asText(compilation.fullyQualifiedName);
  const status = proof.verdict?.status ?? "not_shown";
  const key = verdictKey(proof, site);
  const sides = ["runtime", "creation"].map((side) => sideView(record, side, t));
  const facts = [...factRows(context)];
  const view = {
    name: visibleName(asText(compilation.name)) || address,
    title: natspecText(asObject(record.devdoc).title),
    notice: natspecText(asObject(record.userdoc).notice),
    address,
    chain: chain.title,
    chain_id: chainId,
    chain_href: `contracts/${chainId}/index.html`,
    published: true,
    level: status,
    headline: t.has(`verdict.${key}`) ? t(`verdict.${key}`) : "",
    level_label: proof.verdict ? oneLine(proof.verdict.sentence) : t("level.unchecked"),
    level_sign: STATUS[status][1],
    level_meaning: meaning(context, sides),
    sides,
    proof: proofView(context),
    trail: trailView(context),
    is_contradicted: CONTRADICTED.includes(key),
    is_at_address: isAtAddress(proof),
    difference: key === "runtime_differs" || key === "recorded_differs"
      ? difference(asObject(record.runtimeBytecode), isAtAddress(proof) ? "onchain" : "recorded")
      : null,
    verified_at: moment(record.verifiedAt),
    head_facts: t.has("contract.network") ? [...headFacts(context, facts)] : [],
    compiled: oneLine(`${language} ${asText(compilation.compilerVersion).split("+")[0]}`),
    explorer: explorerPage(chain, "address", address),
    facts,
    settings: settingsText(compilation.compilerSettings),
    proxy: proxyView(context, implementations),
    sources: sourceViews(record.sources, language, fullName.slice(0, Math.max(fullName.lastIndexOf(":"), 0)), t),
    interface: interfaceView(record, at(record.creationBytecode, "transformationValues", "constructorArguments"), {
      address,
      rpc: chain.rpc,
    }),
    storage: storageView(record.storageLayout),
    transient: storageView(record.transientStorageLayout),
    codes: ["runtime", "creation"].map((side) => codeView(record, side)),
    pins: pins(proof, t),
    other_code: otherCode(asObject(asObject(record.runtimeBytecode).cborAuxdata), t),
    record: `v2/contract/${chainId}/${address}`,
    check_command:
      `curl -sSo ${address}.json ${site.url}/v2/contract/${chainId}/${address} && statuary check ${address}.json`,
    proof_json: proof.checks?.length ? `proof/${chainId}/${address}.json` : "",
  };
  return { ...view, parts: [...partsOf(view, t)] };
}

/** Whether the chain's proofs show the record's code at the address. */
const isAtAddress = ({ claims }) => asObject(claims).onChain?.status === "verified_here";

const isContradicted = ({ verdict }) => verdict?.status === "contradicted";

/** The key of the sentence about the compilation. */
function compiledText({ status, evidence }) {
  if (status === "verified_here") return asObject(evidence).vouchedBy ? "compiled_vouched" : "recompiled";
  return status === "stated_by_a_file" ? "compiled" : "not_compiled";
}

/** A sign of what passed: never the green one beside a contradiction. */
const signBeside = (sign, proof) => sign === "ok" && isContradicted(proof) ? "checked" : sign;

/** The key of the sentence that is said first. */
function verdictKey(proof, site) {
  const key = sentenceKey(proof, site);
  return key === "runtime_differs" && !isAtAddress(proof) ? "recorded_differs" : key;
}

function sentenceKey({ verdict }, { verdicts }) {
  if (!verdict) return "unchecked";
  if (verdict.status !== "contradicted") return STATUS[verdict.status][0];
  const isOf = (sentence) =>
    new RegExp(`^${sentence.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".+?")}`).test(
      verdict.sentence,
    );
  return verdicts.find(([, sentence]) => isOf(sentence))?.[0] ?? "runtime_differs";
}

function meaning({ record, proof, t }, sides) {
  const status = Object.fromEntries(
    Object.entries(asObject(proof.claims)).map(([name, claim]) => [name, claim.status]),
  );
  const short = !proof.verdict
    ? "unchecked"
    : status.consistent !== "verified_here"
    ? (proof.holds ? "unproved" : "contradicted")
    : proof.verdict.status !== "contradicted"
    ? ""
    : status.matches === "contradicted"
    ? "runtime_differs"
    : status.onChain === "contradicted"
    ? "contradicted_since"
    : "compiles_otherwise";
  if (short) return t(`meaning.${short}`);
  const pinned = asObject(proof.pinnedBy);
  const hashed = pinned["compilation.compilerSettings"] === "hash" ? "hashed" : "hashed_sources";
  return [
    asText(record.runtimeMatch) || "none",
    status.hashed === "verified_here" ? hashed : "not_hashed",
    ...(Object.keys(pinned).some((member) => member.startsWith("sources/")) ? ["extra_sources"] : []),
    compiledText(asObject(proof.claims).compiled),
    { verified_here: "on_chain", stated_by_a_file: "on_chain_stated" }[status.onChain] ?? "not_on_chain",
    ...(sides[1].level === t("level.none") ? ["creation_differs"] : []),
  ].map((one) => t(`meaning.${one}`)).join(" ");
}

function sideView(record, side, t) {
  const level = asText(record[`${side}Match`]);
  const isGiven = Boolean(asObject(record[`${side}Bytecode`]).onchainBytecode);
  return {
    name: t(`side.${side}`),
    level: t(`level.${level || (isGiven ? "none" : "unchecked")}`),
    sign: level ? "stated" : "none",
  };
}

const explorerPage = ({ explorer }, kind, value) =>
  explorer && /^[a-zA-Z0-9]+$/.test(value) ? `${explorer}/${kind}/${value}` : "";

function* factRows({ record, chain, t }) {
  const [compilation, deployment] = [asObject(record.compilation), asObject(record.deployment)];
  const settings = asObject(compilation.compilerSettings);
  const block = asText(deployment.blockNumber);
  const rows = [
    ["transaction", block !== "-1" ? deployment.transactionHash : null, "tx"],
    ["block", block === "-1" ? t("contract.genesis") : block, "block"],
    ["deployer", deployment.deployer, "address"],
    ["compiler", `${asText(compilation.compiler)} ${asText(compilation.compilerVersion)}`, ""],
    ["language", compilation.language, ""],
    ["optimizer", optimizer(settings.optimizer, t), ""],
    ["evm", settings.evmVersion, ""],
    ["qualified", compilation.fullyQualifiedName, ""],
    ["match_id", record.matchId, ""],
  ];
  for (const [name, value, kind] of rows) {
    if (typeof value !== "string" || !value) continue;
    const href = kind && block !== "-1" ? explorerPage(chain, kind, value) : "";
    yield { key: name, name: t(`fact.${name}`), value: visibleName(value), href };
  }
}

function optimizer(value, t) {
  const { enabled, runs } = asObject(value);
  if (!enabled) return Object.keys(asObject(value)).length ? t("contract.optimizer_off") : "";
  return Number.isInteger(runs) ? t.count("contract.optimizer_on", runs) : t("contract.optimizer_plain");
}

function* headFacts({ record, proof, chain, t, moment }, facts) {
  const rows = Object.fromEntries(facts.map((row) => [row.key, row.value]));
  const note = (member) => {
    const pin = shownPins(proof)[member];
    return pin === "claimed" || pin === "stated" ? t(`pinned.mark_${pin}`) : "";
  };
  const settings = note("compilation.compilerSettings");
  const { compiler, compilerVersion } = asObject(record.compilation);
  yield {
    name: t("contract.network"),
    value: chain.title,
    note: record.chainId,
    href: `contracts/${record.chainId}/index.html`,
  };
  yield {
    name: t("fact.compiler"),
    value: oneLine(`${asText(compiler)} ${asText(compilerVersion).split("+")[0]}`),
    note: settings,
  };
  if (rows.optimizer) yield { name: t("fact.optimizer"), value: rows.optimizer, note: settings };
  const size = Math.floor(asText(asObject(record.runtimeBytecode).onchainBytecode).length / 2) - 1;
  if (size > 0) yield { name: t("contract.size"), value: t("contract.bytes", { bytes: t.number(size) }) };
  if (rows.block) {
    const value = /^\d+$/.test(rows.block)
      ? t("contract.in_block", { block: t.number(BigInt(rows.block)) })
      : rows.block;
    const { blockTime } = asObject(asObject(proof.claims).deployed?.evidence);
    const day = blockTime ? moment(blockTime).day : null;
    yield { name: t("contract.created"), value, note: note("deployment.blockNumber"), day };
  }
  const { isProxy, proxyType } = asObject(record.proxyResolution);
  if ((isProxy ?? null) !== null) {
    yield { name: t("proxy.title"), value: isProxy && oneLine(asText(proxyType)) || t("contract.proxy_no") };
  }
}

function settingsText(settings) {
  const text = visibleText(JSON.stringify(settings ?? null, null, 2));
  return text.length <= LONGEST_SETTINGS ? text : `${text.slice(0, LONGEST_SETTINGS)} …`;
}

function otherCode(auxdata, t) {
  const pieces = Object.values(auxdata).map((piece) => {
    const offset = at(piece, "offset");
    return [isSize(offset) ? offset : 0, Math.floor(asText(at(piece, "value")).length / 2) - 1];
  }).sort(([one], [other]) => one - other);
  const hasCodeBetween = pieces.some(([start], place) =>
    place && start > pieces[place - 1][0] + pieces[place - 1][1]
  );
  return hasCodeBetween ? t("contract.other_code", { count: pieces.length }) : "";
}

function proxyView({ record, proof, t }, implementations) {
  const resolution = asObject(record.proxyResolution);
  const error = asObject(resolution.proxyResolutionError);
  if (resolution.isProxy !== true && !Object.keys(error).length) return null;
  return {
    kind: oneLine(asText(resolution.proxyType)),
    implementations: asList(resolution.implementations).map(asObject).map((one) => {
      const address = oneLine(asText(one.address));
      const href = implementations.has(address) ? `contract.html?chain=${record.chainId}&address=${address}` : "";
      return { address, name: visibleName(asText(one.name)), href };
    }),
    error: oneLine(asText(error.message)),
    sentence: shownOfProxy(asObject(asObject(proof.claims).onChain?.evidence), t),
  };
}

function shownOfProxy(evidence, t) {
  if (!("implementation" in evidence)) return t("proxy.claimed");
  const key = "implementationSlot" in evidence ? "in_slot" : "in_code";
  const values = {
    number: evidence.blockNumber,
    slot: evidence.implementationSlot,
    address: evidence.implementation,
  };
  const block = evidence.vouchedBy === "checkpoint" ? [] : [t("proof.vouched_file")];
  return [t(`proxy.${key}`, values), ...block].join(" ");
}

/**
 * What pins the members of a record. One that fails checks pins nothing: its members are its author's word, except those that
 * the chain's proofs show.
 */
function shownPins({ holds, claims, pinnedBy }) {
  if (holds === true || !Object.keys(asObject(claims)).length) return asObject(pinnedBy);
  const proven = Object.entries(PROVEN_PARTS).filter(([claim]) => claims[claim]?.status === "verified_here");
  const parts = proven.map(([, part]) => part);
  return Object.fromEntries(
    Object.entries(PARTS).flatMap(([part, members]) =>
      members.map((member) => [member, parts.includes(part) ? "chain" : "claimed"])
    ),
  );
}

function pins(proof, t) {
  const pinned = shownPins(proof);
  const found = {};
  const text = (kind) => t(`pinned.${PIN_TEXTS[kind] ?? kind}`);
  const pin = (sentence, kind) => ({
    text: sentence,
    sign: GREEN_PINS.includes(kind) ? signBeside("ok", proof) : "stated",
    toString: () => sentence,
  });
  for (const [part, members] of Object.entries(PARTS)) {
    const strengths = members.filter((member) => member in pinned).map((member) =>
      STRENGTH.indexOf(pinned[member])
    );
    if (!strengths.length) continue;
    const weakest = STRENGTH[Math.max(...strengths)];
    const sentence = ["descriptions", "lines"].includes(part)
      ? t(`pinned.of_${part}`, { pin: text(weakest) })
      : text(weakest);
    found[part] = pin(sentence, weakest);
  }
  for (const [member, kind] of Object.entries(pinned)) {
    if (member.startsWith("sources/")) found[oneLine(member)] = pin(text(kind), kind);
  }
  return found;
}

function* partsOf(view, t) {
  const source = ["source", t("sources.title"), view.sources.length];
  const evidence = ["proof", t("proof.title"), 0];
  if (view.difference) yield ["difference", t("difference.title"), 0];
  if (view.is_contradicted) yield evidence;
  if (view.proxy) yield ["proxy", t("proxy.title"), 0];
  if (!view.is_contradicted) yield source;
  yield ["interface", t("interface.title"), view.interface.functions.length];
  if (view.storage || view.transient) yield ["storage", t("storage.title"), 0];
  yield ["bytecode", t("code.title"), 0];
  if (!view.is_contradicted) yield evidence;
  yield ["deployment", t("contract.facts"), 0];
  if (view.is_contradicted) yield source;
}

// ── the proof ────────────────────────────────────────────────────────────────────────────────────────────────────

function proofView({ proof, site, chain, t, moment }) {
  const checks = asList(proof.checks);
  const of = (outcome) => checks.filter((check) => check.outcome === outcome);
  const words = ({ check }) => capitalized(oneLine(check).replaceAll("-", " "));
  const counts = Object.keys(OUTCOMES).map((outcome) => [outcome, of(outcome).length]).filter(([, count]) =>
    count
  );
  return {
    holds: proof.holds === true,
    summary: counts.map(([outcome, count]) => t.count(`proof.${outcome}`, count)).join(", "),
    rows: Object.keys(OUTCOMES).flatMap((outcome) =>
      of(outcome).map((check) => ({
        name: check.check,
        sentence: site.rules[check.check] || words(check),
        sign: signBeside(OUTCOMES[outcome], proof),
        outcome: t(`outcome.${outcome}`),
        evidence: Object.entries(asObject(check.saw)).filter(([, fact]) => fact !== "")
          .map(([name, fact]) => [oneLine(name), Number.isInteger(fact) ? t.number(fact) : oneLine(String(fact))]),
        findings: asList(check.findings).map(({ message }) => oneLine(message)),
      }))
    ),
    not_applicable: of("not applicable").map(words),
    skipped: of("skipped").map(words),
    claims: Object.entries(asObject(proof.claims))
      .sort(([, one], [, other]) => (other.status === "contradicted") - (one.status === "contradicted"))
      .map(([name, claim]) => {
        const row = claimRow(CLAIMS[name], claim, chain, t, moment);
        return { ...row, sign: signBeside(row.sign, proof) };
      }),
  };
}

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();

function claimRow(name, { status, reason, evidence }, { explorer }, t, moment) {
  const { blockNumber = "", blockHash = "", blockTime = "", vouchedBy = "", agreed = "" } = asObject(evidence);
  const hosts = oneLine(String(agreed));
  return {
    name,
    sentence: t(`claim.${name}`),
    sign: STATUS[status][1],
    status: t(`claim_status.${STATUS[status][0]}`),
    reason: oneLine(reason),
    block_number: blockNumber === "" ? "" : t.number(blockNumber),
    block_hash: blockHash,
    block_href: explorer && blockHash ? `${explorer}/block/${blockHash}` : "",
    block_time: blockTime ? moment(blockTime) : null,
    vouched: !vouchedBy
      ? ""
      : vouchedBy === "checkpoint"
      ? t("proof.vouched_checkpoint")
      : hosts
      ? t("proof.vouched_hosts", { hosts })
      : t("proof.vouched_file"),
  };
}

// ── the trail ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The evidence that leads from the sources to the deployment (`contracts/pages/trail.py`); empty without claims. */
function trailView({ record, proof, t, moment }) {
  const claims = asObject(proof.claims);
  if (!Object.keys(claims).length) return [];
  const strand = (name, check) => {
    const [word, sign] = STATUS[claims[name].status];
    return {
      claim: CLAIMS[name],
      sign: signBeside(sign, proof),
      status: t(`claim_status.${word}`),
      check: t(`trail.${check || `${CLAIMS[name]}_${word}`}`),
    };
  };
  const compilation = claims.matches?.status === "contradicted"
    ? [strand("matches", "bytes_differ")]
    : Object.keys(claims).filter((name) => name === "hashed" || name === "compiled").map((name) => strand(name));
  const since = claims.onChain.status === "contradicted" ? contradictedSince(claims.onChain.reason) : "";
  const { blockTime } = asObject(claims.deployed.evidence);
  const { compiler, compilerVersion } = asObject(record.compilation);
  const release = oneLine(`${asText(compiler)} ${asText(compilerVersion).split("+")[0]}`);
  const size = Math.floor(asText(asObject(record.runtimeBytecode).onchainBytecode).length / 2) - 1;
  const { address } = record;
  const part = (section, name, note, strands, at = null) => ({
    section,
    name: t(`trail.${name}`),
    note,
    at,
    strands,
  });
  return [
    part(
      "source",
      "sources",
      `${t.count("trail.files", Object.keys(asObject(record.sources)).length)} · ${release}`,
      compilation,
    ),
    part("bytecode", "bytecode", size > 0 ? t("contract.bytes", { bytes: t.number(size) }) : "", [
      strand("onChain", since),
    ]),
    part("main", "address", `${address.slice(0, 6)}…${address.slice(-4)}`, [strand("deployed")]),
    part("deployment", "deployment", blockNote(record, t), [], blockTime ? moment(blockTime).day : null),
  ];
}

/** What the chain has instead, of the reason of a contradicted claim; reasons of proofs are in English. */
function contradictedSince(reason) {
  if (reason.includes("there is no code")) return "no_code_since";
  return reason.includes("slot holds") ? "other_implementation_since" : "other_code_since";
}

function blockNote(record, t) {
  const block = asText(asObject(record.deployment).blockNumber);
  if (block === "-1") return t("contract.genesis");
  return /^\d+$/.test(block) ? t("verdict.block", { number: t.number(BigInt(block)) }) : "";
}

// ── code that differs ────────────────────────────────────────────────────────────────────────────────────────────

/** The bytes around the first one in which the on-chain code, called `label`, differs from the compiled code. */
function difference({ onchainBytecode, recompiledBytecode }, label) {
  const sides = [[label, onchainBytecode], ["recompiled", recompiledBytecode]]
    .map(([name, code]) => [name, asText(code).slice(2).match(/../g) ?? []]);
  const [[, onchain], [, recompiled]] = sides;
  const total = Math.max(onchain.length, recompiled.length);
  const differs = Array.from({ length: total }, (_one, place) => onchain[place] !== recompiled[place]);
  const first = differs.indexOf(true);
  if (first < 0 || !onchain.length || !recompiled.length) return null;
  const start = Math.max(0, first - 8);
  const pieces = (code) => {
    const runs = [];
    code.slice(start, start + 24).forEach((byte, place) => {
      const isOther = differs[start + place];
      if (runs.at(-1)?.[1] === isOther) runs.at(-1)[0] += ` ${byte}`;
      else runs.push([byte, isOther]);
    });
    return runs;
  };
  return {
    first,
    differing: differs.filter(Boolean).length,
    total,
    places: differs.filter((isOther, place) => isOther && !differs[place - 1]).length,
    start,
    rows: sides.map(([name, code]) => [name, pieces(code)]),
  };
}
