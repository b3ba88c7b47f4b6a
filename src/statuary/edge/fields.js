// @ts-check
/** The selectors of `fields` and `omit`, and the members of every record, in served order. */

const BYTECODE = [
  "onchainBytecode",
  "recompiledBytecode",
  "sourceMap",
  "linkReferences",
  "cborAuxdata",
  "transformations",
  "transformationValues",
];

/** Members of every record that can be selected: `fields` moves them forward, `omit` moves them back. */
export const BASE = ["matchId", "creationMatch", "runtimeMatch", "verifiedAt"];

/** The last members of every record; they cannot be selected. */
export const IDENTITY = ["match", "chainId", "address"];

export const PROXY = "proxyResolution";

/**
 * The parts of `proxyResolution`: the on-chain code of a side, instead of the member's own value.
 * @type {Record<string, string>}
 */
export const CODE_OF_PROXY = {
  onchainRuntimeBytecode: "runtimeBytecode",
  onchainCreationBytecode: "creationBytecode",
};

/** @type {Map<string, string[]>} the selectors, each with those below it, after a dot */
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
  ["proxyResolution", ["onchainRuntimeBytecode", "onchainCreationBytecode"]],
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
