// What hardhat-verify's `isVerified` says: {"url", "chain", "addresses", "explorer"} in, true or false for each address out.
//
// A provider is made as the plug-in makes it of `chainDescriptors`; its package exports no more than the plug-in.
import {readFileSync} from 'node:fs'
import {pathToFileURL} from 'node:url'

const folder = pathToFileURL(`${process.env.CLIENT}/node_modules/@nomicfoundation/hardhat-verify/dist/src/internal/`)
const {Sourcify} = await import(new URL('sourcify.js', folder))
const {Etherscan} = await import(new URL('etherscan.js', folder))
const {url, chain, addresses, explorer} = JSON.parse(readFileSync(0, 'utf8'))

const provider = explorer
  ? new Etherscan({chainId: chain, name: 'Site', url, apiUrl: `${url}/v2/api`, apiKey: 'any'})
  : new Sourcify({chainId: chain, apiUrl: url})
const said = []
for (const address of addresses) said.push(await provider.isVerified(address))
process.stdout.write(JSON.stringify(said))
