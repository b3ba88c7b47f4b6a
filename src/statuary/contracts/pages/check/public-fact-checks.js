// Checks against the grammar of the languages and the rules of the EVM.

import { IDENTIFIER } from "./abi.js";
import { broken, fault, saw } from "./observations.js";
import { anyHex, asList, asObject, asText, at, sizeOf } from "./values.js";

const NAMED = ["function", "event", "error"];
const ONCE = ["constructor", "fallback", "receive"];

const abiOf = ({ record }) => asList(at(record, "abi")).map(asObject);
const typeOf = (item) => Object.hasOwn(item, "type") ? asText(item.type) : "function";
const isNoIdentifier = (name) => !IDENTIFIER.test(asText(name));

function* namesIn(item) {
  if (NAMED.includes(typeOf(item)) || (item.name ?? "") !== "") yield item.name;
  const waiting = [...asList(item.inputs), ...asList(item.outputs)];
  while (waiting.length) {
    const { name, components } = asObject(waiting.pop());
    if ((name ?? "") !== "") yield name;
    waiting.push(...asList(components));
  }
}

export function* namesAreIdentifiers(view) {
  if (view.language === "Solidity") {
    yield saw();
    if (isNoIdentifier(view.compilation.name)) yield broken(["compilation", "name"]);
  }
  for (const [place, item] of abiOf(view).entries()) {
    for (const name of namesIn(item)) {
      yield saw();
      if (isNoIdentifier(name)) yield broken(["abi", place]);
    }
  }
}

export function* abiItemsAreKnown(view) {
  if (!Array.isArray(at(view.record, "abi"))) return;
  const types = abiOf(view).map(typeOf);
  yield saw(`${types.length} items`);
  const isTwice = (type) => ONCE.includes(type) && types.filter((one) => one === type).length > 1;
  for (const type of types) {
    if (isTwice(type) || ![...NAMED, ...ONCE].includes(type)) yield fault(type, ["abi"]);
  }
}

/** Addresses in lower case by `path:Library`, whether they are nested by file or not. */
function librariesOf(settings) {
  return Object.fromEntries(
    Object.entries(asObject(at(settings, "libraries"))).flatMap(([path, held]) =>
      typeof held === "object" && held !== null
        ? Object.entries(held).map(([name, address]) => [`${path}:${name}`, String(address).toLowerCase()])
        : [[path, String(held).toLowerCase()]]
    ),
  );
}

export function* librariesAreThoseOfTheSettings({ compilation, sides }) {
  const settings = librariesOf(compilation.compilerSettings);
  if (Object.keys(settings).length) yield saw();
  for (const { member, values } of sides) {
    for (const [name, value] of Object.entries(asObject(values.libraries))) {
      if (Object.hasOwn(settings, name) && settings[name] !== asText(value).toLowerCase()) {
        yield broken([member, "transformationValues", "libraries", name]);
      }
    }
  }
}

const GENESIS = "-1";

export function* deploymentIsPossible({ record }) {
  const deployment = asObject(at(record, "deployment"));
  const { blockNumber: block = null, transactionIndex: index = null } = deployment;
  const [deployer, transaction] = [asText(deployment.deployer), asText(deployment.transactionHash)];
  if (!deployer && !transaction && block === null && index === null) return;
  yield saw();
  const isGenesis = block === GENESIS;
  if (deployer && deployer.toLowerCase() === asText(at(record, "address")).toLowerCase()) {
    yield fault("the deployer is the contract itself", ["deployment", "deployer"]);
  }
  if (isGenesis && !/^(0x0{40})?$/.test(deployer)) yield broken(["deployment", "deployer"]);
  if (isGenesis ? ![GENESIS, null].includes(index) : index === GENESIS) {
    yield broken(["deployment", "transactionIndex"]);
  }
  if (isGenesis) return;
  if (/^0x0{40}$/.test(deployer)) yield broken(["deployment", "deployer"]);
  if (/^0x0{64}$/.test(transaction)) yield broken(["deployment", "transactionHash"]);
}

export function* codeCanBeAtTheAddress({ record, runtime: { onchain }, compilation }) {
  const digits = anyHex(at(record, "address"));
  if (digits !== undefined) {
    const address = Number(`0x0${digits}`);
    yield saw();
    if (address <= 0x11 || address === 0x100) {
      yield fault("the EVM reserves this address", ["address"], address <= 0xa ? "error" : "warning");
    }
  }
  if (!onchain) return;
  const where = ["runtimeBytecode", "onchainBytecode"];
  const eof = asObject(compilation.compilerSettings).eofVersion ?? null;
  if (/^ef0100.{40}$/.test(onchain)) {
    yield fault("this is the code of an account that delegates (EIP-7702)", where);
  } else if (/^ef/.test(onchain) && !(/^ef00/.test(onchain) && eof !== null)) {
    yield fault("the code begins with 0xef", where);
  }
  if (sizeOf(onchain) > 24_576) yield fault("the code is longer than EIP-170 allows", where, "note");
}
