// @ts-check
/** The names that `fields` and `omit` take, and the members that every answer has, in served order. */

const BYTECODE = [
  "onchainBytecode",
  "recompiledBytecode",
  "sourceMap",
  "linkReferences",
  "cborAuxdata",
  "transformations",
  "transformationValues",
];

/** Members of every answer that can be named: `fields` moves them forward, `omit` moves them back. */
export const BASE = ["matchId", "creationMatch", "runtimeMatch", "verifiedAt"];

/** The last members of every answer; they cannot be named. */
export const IDENTITY = ["match", "chainId", "address"];

/** @type {Map<string, string[]>} what can be named, and what below it, after one dot */
const SELECTABLE = new Map([
  ...BASE.map((name) => /** @type {[string, string[]]} */ ([name, []])),
  ["creationBytecode", BYTECODE],
  ["runtimeBytecode", [...BYTECODE, "immutableReferences"]],
  ["deployment", ["transactionHash", "blockNumber", "transactionIndex", "deployer"]],
  ["sources", []],
  ["compilation", ["language", "compiler", "compilerVersion", "compilerSettings", "name", "fullyQualifiedName"]],
  ["abi", []],
  ["metadata", []],
  ["storageLayout", []],
  ["transientStorageLayout", []],
  ["userdoc", []],
  ["devdoc", []],
  ["sourceIds", []],
  ["additionalInput", []],
  ["stdJsonInput", []],
  ["stdJsonOutput", []],
  ["signatures", ["function", "event", "error"]],
  ["proxyResolution", []],
]);

/**
 * Says whether a selector names a field.
 * @param {string} selector
 */
export function isField(selector) {
  const [name, inner] = selector.split(".");
  const below = SELECTABLE.get(name);
  return below !== undefined && (inner === undefined || below.includes(inner));
}
