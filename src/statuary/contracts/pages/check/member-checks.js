// The checks of metadata, sources, names, repeated members and the ABI.

import { checkValues, KINDS, signatureEntry, signaturesOf } from "./abi.js";
import { broken, fault, inBytes, saw, unknown } from "./observations.js";
import { COMPILERS, isKnownCompilation, isName } from "./open-lists.js";
import { settingDifferences } from "./solc-settings.js";
import {
  asList,
  asObject,
  asText,
  at,
  attempt,
  find,
  isSince,
  keccakHex,
  sameJson,
  sizeOf,
  strictHex,
  utf8,
} from "./values.js";

export function* endsWithTheMetadataHash(side) {
  const { view, claimed, ownAuxdata, ownFields } = side;
  if (claimed === null) return;
  if (view.style !== "solidity") return;
  const hashes = Object.entries(ownFields?.hashes ?? {});
  if (!hashes.length) return;
  if (!view.metadata) return;
  for (const [scheme, digest] of hashes) {
    if (view.isHash(scheme, digest)) yield saw(`${scheme} ${digest}`);
    else {yield fault(`the metadata's ${scheme} hash is ${view.metadataHashes.of(scheme)[0]}, not ${digest}`, [
        "metadata",
      ]);}
  }
  if (!side.auxdata.some(({ offset, value }) => offset === ownAuxdata.offset && value === ownAuxdata.value)) {
    yield fault(`the contract's own auxdata, at byte ${ownAuxdata.offset}, is missing`, [
      side.member,
      "cborAuxdata",
    ]);
  }
}

export function* sourcesAreThoseOfTheMetadata({ metadata, sources, severity }) {
  if (!metadata) return;
  const listed = Object.entries(asObject(at(metadata, "sources")));
  if (!listed.length) yield broken(["metadata", "sources"], severity);
  for (const [path, entry] of listed) {
    yield saw(`${listed.length} sources`);
    const content = sources.get(path);
    if (content === undefined) {
      yield fault(`${path} is not among the sources`, ["sources"], severity);
      continue;
    }
    const digest = `0x${keccakHex(utf8(content))}`;
    const [expected, literal] = [at(entry, "keccak256"), at(entry, "content")];
    if (digest !== expected) {
      yield fault(
        `the source's Keccak-256 is ${digest}, the metadata states ${expected}`,
        ["sources", path, "content"],
        severity,
      );
    }
    if ((literal ?? content) !== content) {
      yield fault("the metadata contains a different text", ["metadata", "sources", path, "content"], severity);
    }
  }
}

export function* metadataNamesTheCompilation({ metadata, version, language, path, name, compilation }) {
  if (!metadata) return;
  const compiler = at(metadata, "compiler", "version");
  const settings = asObject(at(metadata, "settings"));
  const faults = [];
  // old compilers wrote their platform after the version
  if ((typeof compiler === "string" ? compiler.split(".Emscripten")[0] : compiler) !== version) {
    faults.push("compiler.version");
  }
  if (at(metadata, "language") !== language) faults.push("language");
  if (!sameJson(settings.compilationTarget, { [path]: name })) faults.push("settings.compilationTarget");
  const differences = settingDifferences(settings, asObject(compilation.compilerSettings), version);
  for (const member of [...faults, ...differences.map((one) => `settings.${one}`)]) {
    yield fault(`${member} of the metadata is not that of the record`, ["metadata", ...member.split(".")]);
  }
  yield saw(`${path}:${name}`);
}

export function* metadataRepeatsTheInterface({ metadata, record, version }) {
  if (!metadata) return;
  for (const member of ["abi", "devdoc", "userdoc"]) {
    const known = at(record, member);
    if ((known ?? null) === null && member !== "abi" && !isSince(version, "0.4.11")) continue;
    yield saw();
    if (!sameJson(at(metadata, "output", member), known)) {
      yield fault(`${member} of the metadata is not that of the record`, [member]);
    }
  }
}

const COMMIT = String.raw`\+commit\.[0-9a-f]{7,8}`;
const VERSIONS = {
  solc: new RegExp(String.raw`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?${COMMIT}(\.mod)?$`),
  vyper: new RegExp(String.raw`^\d+\.\d+\.\d+((b|rc|a)\d+)?(${COMMIT})?$`),
  fe: new RegExp(String.raw`^v?\d+\.\d+\.\d+(-(alpha|beta|rc)(\.\d+)?)?(${COMMIT})?$`),
};

export function* languageAndCompilerAreKnown({ language, version, compilation: { compiler } }) {
  if (!isKnownCompilation(language, compiler)) {
    const member = Object.hasOwn(COMPILERS, language) ? "compiler" : "language";
    const value = member === "compiler" ? compiler : language;
    yield (isName(value) ? unknown : fault)(value, ["compilation", member]);
    return;
  }
  yield saw(`${language}, ${compiler} ${version}`);
  if (COMPILERS[language] !== compiler) {
    yield fault(`there are no checks for ${language} compiled by ${compiler}`, ["compilation", "compiler"]);
  } else if (!VERSIONS[compiler].test(version)) {
    yield fault(`this is not a version of ${compiler}`, ["compilation", "compilerVersion"]);
  }
}

export function* nameEndsFullyQualifiedName({ sources, path, name, compilation }) {
  yield saw(`${path}:${name}`);
  if (name !== compilation.name) yield fault(`the fully qualified name ends in ${name}`, ["compilation", "name"]);
  if (!sources.has(path)) yield fault(`${path} is not among the sources`, ["compilation", "fullyQualifiedName"]);
}

const repeats = (isSame, pointer) => isSame ? saw() : broken(pointer);

export function* stdJsonInputRepeatsTheRecord({ record, compilation, language }) {
  const given = at(record, "stdJsonInput");
  const extra = asObject(at(record, "additionalInput"));
  const OVERRIDES = "storage_layout_overrides";
  const wanted = {
    sources: at(record, "sources"),
    language: compilation.language,
    settings: compilation.compilerSettings,
    [OVERRIDES]: extra[OVERRIDES],
  };
  yield saw();
  for (const [member, value] of Object.entries(wanted)) {
    yield repeats(sameJson(at(given, member), value), ["stdJsonInput", member]);
  }
  for (const member of Object.keys(extra).filter((one) => language !== "Vyper" || one !== OVERRIDES)) {
    yield fault(`${language} has no such input`, ["additionalInput", member]);
  }
}

const DOCUMENTS = ["abi", "userdoc", "devdoc", "storageLayout", "transientStorageLayout"];

export function* stdJsonOutputRepeatsTheRecord({ record, output, path, name, metadataHashes, creation, runtime }) {
  const held = at(record, "stdJsonOutput");
  const where = ["stdJsonOutput", "contracts"];
  yield repeats(sameJson(at(held, "sources"), at(record, "sourceIds")), ["stdJsonOutput", "sources"]);
  if (!output) return yield fault("the output has no contract with the record's fully qualified name", where);
  const files = Object.values(asObject(at(held, "contracts")));
  if (files.length !== 1 || Object.keys(asObject(files[0])).length !== 1) {
    yield broken([...where]);
  }
  where.push(path, name);
  for (const member of Object.keys(output).filter((one) => ![...DOCUMENTS, "metadata", "evm"].includes(one))) {
    yield broken([...where, member]);
  }
  for (const member of DOCUMENTS) {
    yield repeats(sameJson(at(output, member), at(record, member)), [...where, member]);
  }
  const isAbsent = [at(output, "metadata"), at(record, "metadata")].map((one) => (one ?? null) === null);
  const isMetadata = isAbsent.includes(true) ? !isAbsent.includes(false) : metadataHashes.text !== undefined;
  yield repeats(isMetadata, [...where, "metadata"]);
  for (const [side, member] of [[creation, "bytecode"], [runtime, "deployedBytecode"]]) {
    const code = at(output, "evm", member);
    const digits = asText(side.value.recompiledBytecode).slice(2);
    yield repeats((at(code, "object") || "") === digits, [...where, "evm", member, "object"]);
    for (const part of ["sourceMap", "linkReferences", "immutableReferences"]) {
      yield repeats(sameJson(at(code, part), at(side.value, part)), [...where, "evm", member, part]);
    }
  }
}

export function* signaturesFollowFromTheAbi({ record }) {
  const expected = signaturesOf(at(record, "abi"));
  yield saw(KINDS.map((kind) => `${expected[kind].size} ${kind}s`).join(", "));
  for (const kind of KINDS) {
    const entries = asList(at(record, "signatures", kind)).map(asObject);
    const texts = entries.map((entry) => String(entry.signature));
    for (const text of expected[kind]) {
      if (!texts.includes(text)) yield fault(`the signatures lack ${text} of the ABI`, ["signatures", kind]);
    }
    for (const [place, entry] of entries.entries()) {
      const text = texts[place];
      if (!expected[kind].has(text)) yield fault(`${text} is not in the ABI`, ["signatures", kind, place]);
      else if (texts.filter((one) => one === text).length > 1) {
        yield broken(["signatures", kind, place]);
      } else if (!sameJson(entry, signatureEntry(text))) {
        yield broken(["signatures", kind, place]);
      }
    }
  }
}

// how solc compares a selector with 0x00000000, which it does not push: as in `source_checks.py`
const COMPARES_WITH_ZERO =
  /^(?:..)*?(?:(?:1c|16|5b|57)80(?:15|(?:6000|5f)14)|80(?:6000|5f)8114|(?:1c|16)(?:9081(?:15|(?:6000|5f)14)|15)?)(?:60..|61....)57/;

/** Whether code has a selector, without its leading zeros, by language; Yul and handwritten code have no rule for it. */
const HAS_SELECTOR = {
  Solidity: (digits, code) =>
    digits ? find(code, (0x5f + sizeOf(digits)).toString(16) + digits) >= 0 : COMPARES_WITH_ZERO.test(code),
  Vyper: (digits, code) => find(code, digits) >= 0,
  Fe: (digits, code) => find(code, digits) >= 0,
};

export function* selectorsAreInTheCode({ record, language, runtime, isLibrary }) {
  const functions = at(record, "signatures", "function");
  const hasSelector = HAS_SELECTOR[language];
  if (!hasSelector || !runtime.recompiled || isLibrary || !Array.isArray(functions)) return;
  for (const [place, entry] of functions.entries()) {
    yield saw(`${functions.length} functions`);
    const selector = asText(at(entry, "signatureHash4")).slice(2);
    if (!/^([0-9a-f]{2})*$/.test(selector)) continue;
    const digits = selector.replace(/^(00)+/, "");
    if (!hasSelector(digits, runtime.recompiled)) {
      yield fault(`0x${selector} is not in the bytecode`, ["signatures", "function", place]);
    }
  }
}

export function* constructorArgumentsDecode({ creation, constructorInputs: inputs }) {
  const values = strictHex(at(creation.values, "constructorArguments"));
  if (values === undefined) return;
  const pointer = ["creationBytecode", "transformationValues", "constructorArguments"];
  if (!inputs) return yield fault("the constructor's inputs have unknown types", pointer);
  yield saw(`${inputs.items.length} arguments, ${inBytes(values)}`);
  const error = attempt(() => checkValues(inputs, values));
  if (error) yield fault(`the arguments do not fit ${inputs.name}: ${error.message}`, pointer);
}

export function* constructorArgumentsAreGiven({ creation, constructorInputs: inputs }) {
  if (creation.claimed === null || !creation.transformations || !inputs?.items.length) return;
  yield saw(`${inputs.items.length} inputs`);
  if (at(creation.values, "constructorArguments") === undefined) {
    yield fault(`the record lacks the arguments ${inputs.name}`, ["creationBytecode", "transformationValues"]);
  }
}
