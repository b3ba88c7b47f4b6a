// The checks of a contract record, from the record alone: the rules of a build, by the same names.
//
// `proof/checks.json` describes the rules. Only builds check Vyper's integrity hash, storage layouts, proxies,
// whether all auxdata is listed, what the sources declare, and the releases of compilers.

import {
  auxdataIsWhereItSays,
  auxdataNamesTheCompiler,
  auxdataValuesDecode,
  callProtectionIsOwnAddress,
  creationCodeDeploysTheRuntimeCode,
  foundAgain,
  hexIsWellFormed,
  immutablesArePushedWords,
  librariesArePushedAddresses,
  matchIsTheBetterSide,
  matchLevelsFollowFromTheBytes,
  replays,
  transformationsGoWithAMatch,
  unmatchedSideDoesNotMatch,
  vyperImmutablesFollowTheCode,
} from "./bytecode-checks.js";
import {
  constructorArgumentsAreGiven,
  constructorArgumentsDecode,
  endsWithTheMetadataHash,
  languageAndCompilerAreKnown,
  metadataNamesTheCompilation,
  metadataRepeatsTheInterface,
  nameEndsFullyQualifiedName,
  selectorsAreInTheCode,
  signaturesFollowFromTheAbi,
  sourcesAreThoseOfTheMetadata,
  stdJsonInputRepeatsTheRecord,
  stdJsonOutputRepeatsTheRecord,
} from "./member-checks.js";
import { fault, inBytes } from "./observations.js";
import {
  abiItemsAreKnown,
  codeCanBeAtTheAddress,
  deploymentIsPossible,
  librariesAreThoseOfTheSettings,
  namesAreIdentifiers,
} from "./public-fact-checks.js";
import { RecordView } from "./view.js";

const sidesOf = (check) => [({ creation }) => check(creation), ({ runtime }) => check(runtime)];
const [creationReplays, runtimeReplays] = sidesOf(replays);
const [creationFoundAgain, runtimeFoundAgain] = sidesOf(foundAgain);
const [creationHash, runtimeHash] = sidesOf(endsWithTheMetadataHash);

/** The checks by name, in the order of a proof; those at the end only warn. */
const CHECKS = {
  "hex-is-well-formed": hexIsWellFormed,
  "language-and-compiler-are-known": languageAndCompilerAreKnown,
  "transformations-go-with-a-match": transformationsGoWithAMatch,
  "creation-replays": creationReplays,
  "runtime-replays": runtimeReplays,
  "creation-transformations-are-found-again": creationFoundAgain,
  "runtime-transformations-are-found-again": runtimeFoundAgain,
  "creation-code-deploys-the-runtime-code": creationCodeDeploysTheRuntimeCode,
  "match-levels-follow-from-the-bytes": matchLevelsFollowFromTheBytes,
  "match-is-the-better-side": matchIsTheBetterSide,
  "libraries-are-pushed-addresses": librariesArePushedAddresses,
  "immutables-are-pushed-words": immutablesArePushedWords,
  "vyper-immutables-follow-the-code": vyperImmutablesFollowTheCode,
  "auxdata-is-where-it-says": auxdataIsWhereItSays,
  "auxdata-values-decode": auxdataValuesDecode,
  "auxdata-names-the-compiler": auxdataNamesTheCompiler,
  "creation-ends-with-the-metadata-hash": creationHash,
  "runtime-ends-with-the-metadata-hash": runtimeHash,
  "sources-are-those-of-the-metadata": sourcesAreThoseOfTheMetadata,
  "metadata-names-the-compilation": metadataNamesTheCompilation,
  "metadata-repeats-the-interface": metadataRepeatsTheInterface,
  "name-ends-fully-qualified-name": nameEndsFullyQualifiedName,
  "std-json-input-repeats-the-record": stdJsonInputRepeatsTheRecord,
  "std-json-output-repeats-the-record": stdJsonOutputRepeatsTheRecord,
  "signatures-follow-from-the-abi": signaturesFollowFromTheAbi,
  "selectors-are-in-the-code": selectorsAreInTheCode,
  "constructor-arguments-decode": constructorArgumentsDecode,
  "names-are-identifiers": namesAreIdentifiers,
  "abi-items-are-known": abiItemsAreKnown,
  "libraries-are-those-of-the-settings": librariesAreThoseOfTheSettings,
  "deployment-is-possible": deploymentIsPossible,
  "code-can-be-at-the-address": codeCanBeAtTheAddress,
  "constructor-arguments-are-given": constructorArgumentsAreGiven,
  "call-protection-is-own-address": callProtectionIsOwnAddress,
  "unmatched-side-does-not-match": unmatchedSideDoesNotMatch,
};

const SEVERITIES = {
  "constructor-arguments-are-given": "warning",
  "call-protection-is-own-address": "warning",
  "unmatched-side-does-not-match": "note",
};

/**
 * Yields the result of each check: `{check, outcome, saw, faults}`, each fault with a JSON pointer; and, if the code of
 * the address is not the compiled code, that this contradicts the record.
 */
export function* checkRecord(record) {
  const view = new RecordView(record);
  for (const [check, observe] of Object.entries(CHECKS)) yield result(check, observe, view);
  const { onchain, claimed, recompiled, found } = view.runtime;
  if (onchain && claimed === null && recompiled !== undefined && !found) {
    yield result("runtime", runtimeDiffers, view);
  }
}

function* runtimeDiffers({ runtime: { onchain, recompiled } }) {
  yield fault(`${inBytes(onchain)} on the chain, ${inBytes(recompiled)} compiled`, ["runtimeMatch"]);
}

function result(check, observe, view) {
  const [seen, faults] = [new Set(), []];
  for (const one of observe(view)) {
    if (one.pointer) faults.push(one);
    else seen.add(one.saw);
  }
  const required = requiredBy(check, view);
  if (!seen.size && !faults.length && required) {
    faults.push(fault("this level needs the check, which does not apply", [required], "error"));
  }
  const severities = faults.map(({ severity }) => severity ?? SEVERITIES[check] ?? "error");
  return {
    check,
    outcome: outcomeOf(severities, seen.size),
    saw: [...seen].filter(Boolean).join("; "),
    faults: faults.map(({ message, pointer }, at) => ({
      message,
      pointer: jsonPointer(pointer),
      severity: severities[at],
    })),
  };
}

function outcomeOf(severities, seen) {
  if (severities.includes("error")) return "failed";
  if (severities.includes("warning")) return "warned";
  return seen || severities.length ? "passed" : "not applicable";
}

const jsonPointer = (keys) =>
  keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const OF_ANY_LEVEL = ["{side}-replays", "{side}-transformations-are-found-again"];
const OF_EXACT_SOLIDITY = [
  "{side}-ends-with-the-metadata-hash",
  "sources-are-those-of-the-metadata",
  "metadata-names-the-compilation",
  "metadata-repeats-the-interface",
];

/** The member whose level requires that a check applies; undefined if there is none. */
function requiredBy(check, { sides, language }) {
  const side = sides.find(({ name, claimed, isExact }) => {
    const required = claimed === null ? [] : [...OF_ANY_LEVEL];
    if (isExact && language === "Solidity") required.push(...OF_EXACT_SOLIDITY);
    if (isExact && name === "creation") required.push("creation-code-deploys-the-runtime-code");
    return required.some((one) => one.replace("{side}", name) === check);
  });
  return side && `${side.name}Match`;
}
