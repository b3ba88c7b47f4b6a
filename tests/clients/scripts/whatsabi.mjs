// What whatsabi's SourcifyABILoader reads: {"url", "contracts": [[chain, address]]} in, one value for each out.
//
// It has the address of sourcify.dev built in, so requests to there go to the site instead.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const {loaders} = createRequire(`${process.env.CLIENT}/package.json`)('@shazow/whatsabi')
const {url, contracts} = JSON.parse(readFileSync(0, 'utf8'))

const realFetch = globalThis.fetch
globalThis.fetch = (address, options) => {
  const asked = String(address)
  if (!asked.startsWith('https://sourcify.dev/')) throw new Error(`asked elsewhere: ${asked}`)
  return realFetch(asked.replace('https://sourcify.dev', url), options)
}

async function load([chain, address]) {
  const loader = new loaders.SourcifyABILoader({chainId: Number(chain)})
  const found = await loader.getContract(address)
  const {ok, name, abi, compilerVersion, evmVersion, runs} = found
  const sources = ok ? await found.getSources() : null
  return {ok, name, abi, compilerVersion, evmVersion, runs, sources, abiAlone: await loader.loadABI(address)}
}

const read = []
for (const contract of contracts) read.push(await load(contract))
process.stdout.write(JSON.stringify(read))
