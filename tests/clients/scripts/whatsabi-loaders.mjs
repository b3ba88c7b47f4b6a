// What each of whatsabi's loaders reads of a site: {"url", "chain", "addresses", "functions", "events"} in.
//
// A loader that takes an address of its server gets that of the site. The others have one built in, so that requests
// to there go to the site instead.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const {loaders} = createRequire(`${process.env.CLIENT}/package.json`)('@shazow/whatsabi')
const {url, chain, addresses, functions, events} = JSON.parse(readFileSync(0, 'utf8'))

const BUILT_IN = {
  'https://api.etherscan.io/': `${url}/`,
  'https://sourcify.dev/server/': `${url}/`,
  'https://api.openchain.xyz/': `${url}/`,
  'https://www.4byte.directory/': `${url}/`,
}
const realFetch = globalThis.fetch
globalThis.fetch = (address, options) => {
  const asked = String(address)
  const server = [url, ...Object.keys(BUILT_IN)].find((one) => asked.startsWith(one))
  if (!server) throw new Error(`asked elsewhere: ${asked}`)
  return realFetch(asked.replace(server, BUILT_IN[server] ?? server), options)
}

const chainId = Number(chain)
const contracts = {
  'Etherscan v2': new loaders.EtherscanV2ABILoader({apiKey: 'any', chainId}),
  'Etherscan v1': new loaders.EtherscanV1ABILoader({baseURL: `${url}/explorer/${chain}/api`}),
  Sourcify: new loaders.SourcifyABILoader({chainId}),
  Blockscout: new loaders.BlockscoutABILoader({baseURL: `${url}/blockscout/${chain}/api`}),
}
contracts.several = new loaders.MultiABILoader([contracts.Blockscout, contracts['Etherscan v1']])
const signatures = {
  OpenChain: new loaders.OpenChainSignatureLookup(),
  '4byte.directory': new loaders.FourByteSignatureLookup(),
}
signatures.several = new loaders.MultiSignatureLookup([signatures['4byte.directory'], signatures.OpenChain])

async function contract(loader, address) {
  const found = await loader.getContract(address)
  const {ok, name, abi, compilerVersion} = found
  const sources = ok ? await found.getSources() : null
  return {ok, name, abi, compilerVersion, sources, abiAlone: await loader.loadABI(address)}
}

async function each(values, read) {
  const answers = []
  for (const value of values) answers.push(await read(value))
  return answers
}

const read = {contracts: {}, functions: {}, events: {}}
for (const [name, loader] of Object.entries(contracts)) {
  read.contracts[name] = await each(addresses, (address) => contract(loader, address))
}
for (const [name, lookup] of Object.entries(signatures)) {
  read.functions[name] = await each(functions, (selector) => lookup.loadFunctions(selector))
  read.events[name] = await each(events, (hash) => lookup.loadEvents(hash))
}
process.stdout.write(JSON.stringify(read))
