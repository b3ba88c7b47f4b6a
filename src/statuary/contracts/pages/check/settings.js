// The settings in solc's metadata against those of its input: the same settings in two forms.

import { asObject, at, isSince, jsonText, sameJson } from "./values.js";

/** The EVM version that a release compiles for by default, newest first; null where it is not known here. */
const EVM_VERSIONS = [
  ["0.8.32", null],
  ["0.8.31", "osaka"],
  ["0.8.30", "prague"],
  ["0.8.25", "cancun"],
  ["0.8.20", "shanghai"],
  ["0.8.18", "paris"],
  ["0.8.7", "london"],
  ["0.8.5", "berlin"],
  ["0.5.14", "istanbul"],
  ["0.5.5", "petersburg"],
  ["0.4.21", "byzantium"],
];

/** Settings whose value is a number, text or object, by their names, each with the value of an input without it. */
const DEFAULTS = {
  "optimizer.enabled": false,
  "optimizer.runs": 200,
  "optimizer.details": null,
  "evmVersion": null,
  "viaIR": false,
  "metadata.bytecodeHash": "ipfs",
  "metadata.useLiteralContent": false,
  "metadata.appendCBOR": true,
  "debug.revertStrings": "default",
  "eofVersion": null,
  "experimental": false,
  "viaSSACFG": false,
};

/** Settings that change neither bytecode nor metadata. */
const UNPINNED = ["outputSelection", "stopAfter", "parserErrorRecovery", "modelChecker", "compilationTarget"];
const SETTING_GROUPS = ["optimizer", "libraries", "metadata", "debug"];
const KNOWN = [...Object.keys(DEFAULTS).map((name) => name.split(".")[0]), "remappings", "libraries", ...UNPINNED];

/** The names of the settings in which metadata and input differ. */
export function settingDifferences(metadata, given, version) {
  const [one, other] = [plainSettings(metadata), plainSettings(given)];
  const ignored = unspecified(one["optimizer.details"], other["optimizer.details"]);
  if (other.evmVersion === null) {
    other.evmVersion = EVM_VERSIONS.find(([first]) => isSince(version, first))?.[1] ?? null;
    if (one.evmVersion === null || other.evmVersion === null) ignored.push("evmVersion");
  }
  return [
    ...Object.keys(one).filter((name) => !ignored.includes(name) && !sameJson(one[name], other[name])),
    ...Object.keys(given).filter((name) => !KNOWN.includes(name)),
    ...SETTING_GROUPS.filter((name) => Object.hasOwn(given, name) && jsonText(given[name])[0] !== "{"),
  ];
}

/** The optimizer settings that cannot be compared directly: `details` decide `enabled`, and may be a preset. */
function unspecified(inMetadata, inInput) {
  if (inInput === null) return [];
  if (jsonText(inMetadata)[0] !== "{" || jsonText(inInput)[0] !== "{") {
    return ["optimizer.enabled", "optimizer.details"];
  }
  const shared = Object.keys(inMetadata).filter((key) => Object.hasOwn(inInput, key));
  const isSame = shared.every((key) => sameJson(inMetadata[key], inInput[key]));
  return isSame ? ["optimizer.enabled", "optimizer.details"] : ["optimizer.enabled"];
}

function plainSettings(settings) {
  const values = Object.entries(DEFAULTS).map(([name, absent]) => {
    const value = at(settings, ...name.split("."));
    return [name, value === undefined ? absent : value];
  });
  return { ...Object.fromEntries(values), remappings: remappingsOf(settings), libraries: librariesOf(settings) };
}

/** Remappings, sorted, without the colon of an empty context (`:a=b` is `a=b`). */
function remappingsOf(settings) {
  const given = at(settings, "remappings");
  if (!Array.isArray(given)) return given ?? [];
  return [...new Set(given.map((one) => String(one).replace(/^:/, "")))].sort();
}

/** Addresses in lower case by `path:Library`, whether they are nested by file or not. */
export function librariesOf(settings) {
  return Object.fromEntries(
    Object.entries(asObject(at(settings, "libraries"))).flatMap(([path, held]) =>
      typeof held === "object" && held !== null
        ? Object.entries(held).map(([name, address]) => [`${path}:${name}`, String(address).toLowerCase()])
        : [[path, String(held).toLowerCase()]]
    ),
  );
}
