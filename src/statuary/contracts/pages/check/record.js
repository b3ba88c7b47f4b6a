// The checks of a contract record, from the record alone: the rules of a build, by the same names.
//
// `proof/checks.json` describes the rules. Those that are missing here are left to builds, and the page names them.

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
  "invalid-hex": hexIsWellFormed,
  "unknown-compiler": languageAndCompilerAreKnown,
  "inconsistent-transformations": transformationsGoWithAMatch,
  "creation-bytecode-mismatch": creationReplays,
  "runtime-bytecode-mismatch": runtimeReplays,
  "creation-transformations-mismatch": creationFoundAgain,
  "runtime-transformations-mismatch": runtimeFoundAgain,
  "creation-deploys-other-code": creationCodeDeploysTheRuntimeCode,
  "overstated-match-level": matchLevelsFollowFromTheBytes,
  "overall-match-mismatch": matchIsTheBetterSide,
  "invalid-library-reference": librariesArePushedAddresses,
  "invalid-immutable-reference": immutablesArePushedWords,
  "invalid-vyper-immutables": vyperImmutablesFollowTheCode,
  "auxdata-offset": auxdataIsWhereItSays,
  "invalid-auxdata-value": auxdataValuesDecode,
  "auxdata-compiler-mismatch": auxdataNamesTheCompiler,
  "creation-metadata-hash-mismatch": creationHash,
  "runtime-metadata-hash-mismatch": runtimeHash,
  "metadata-sources-mismatch": sourcesAreThoseOfTheMetadata,
  "metadata-compilation-mismatch": metadataNamesTheCompilation,
  "metadata-interface-mismatch": metadataRepeatsTheInterface,
  "fully-qualified-name-mismatch": nameEndsFullyQualifiedName,
  "std-json-input-mismatch": stdJsonInputRepeatsTheRecord,
  "std-json-output-mismatch": stdJsonOutputRepeatsTheRecord,
  "abi-signatures-mismatch": signaturesFollowFromTheAbi,
  "missing-selector": selectorsAreInTheCode,
  "invalid-constructor-arguments": constructorArgumentsDecode,
  "invalid-identifier": namesAreIdentifiers,
  "invalid-abi-item": abiItemsAreKnown,
  "library-address-mismatch": librariesAreThoseOfTheSettings,
  "impossible-deployment": deploymentIsPossible,
  "impossible-code": codeCanBeAtTheAddress,
  "missing-constructor-arguments": constructorArgumentsAreGiven,
  "call-protection-mismatch": callProtectionIsOwnAddress,
  "understated-match-level": unmatchedSideDoesNotMatch,
};

const SEVERITIES = {
  "missing-constructor-arguments": "warning",
  "understated-match-level": "note",
};

/**
 * Yields the result of each check: `{check, outcome, saw, faults}`, each fault with a JSON pointer; and, if the code of
 * the address is not the compiled code, that this contradicts the record.
 */
export function* checkRecord(record) {
  const view = new RecordView(record);
  for (const [check, observe] of Object.entries(CHECKS)) yield result(check, observe, view);
  const { onchain, claimed, recompiled, found } = view.runtime;
  const isGiven = onchain !== undefined && recompiled !== undefined && Boolean(onchain || recompiled);
  if (isGiven && claimed === null && !found) {
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
    faults.push(fault("this match level needs the check, but the check does not apply", [required], "error"));
  }
  const isOpen = !seen.size && faults.some((one) => one.isOpen);
  const severities = faults.map(({ severity }) => severity ?? SEVERITIES[check] ?? "error");
  return {
    check,
    outcome: isOpen && !severities.includes("error") ? "not known" : outcomeOf(severities, seen.size),
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

const OF_ANY_LEVEL = ["{side}-bytecode-mismatch", "{side}-transformations-mismatch"];
const OF_EXACT_SOLIDITY = [
  "{side}-metadata-hash-mismatch",
  "metadata-sources-mismatch",
  "metadata-compilation-mismatch",
  "metadata-interface-mismatch",
];

/** The member whose level requires that a check applies; undefined if there is none. */
function requiredBy(check, { sides, language, isKnown }) {
  const side = sides.find(({ name, claimed, isExact }) => {
    const required = claimed === null ? [] : [...OF_ANY_LEVEL];
    if (isExact && language === "Solidity" && isKnown) required.push(...OF_EXACT_SOLIDITY);
    if (isExact && name === "creation") required.push("creation-deploys-other-code");
    return required.some((one) => one.replace("{side}", name) === check);
  });
  return side && `${side.name}Match`;
}
