import ignition from '@nomicfoundation/hardhat-ignition'
import {defineConfig} from 'hardhat/config'

type Compiler = {version: string; path?: string; settings: Record<string, unknown>}

// the metadata and the layouts are not among Hardhat's own outputs
const outputs: string[] = ['metadata', 'devdoc', 'userdoc', 'storageLayout', 'transientStorageLayout']
const solc: Compiler = {
  version: '0.8.30',
  path: process.env.SOLC,
  settings: {viaIR: true, optimizer: {enabled: true, runs: 200}, outputSelection: {'*': {'*': outputs}}},
}

export default defineConfig({
  plugins: [ignition],
  networks: {local: {type: 'http', url: process.env.NODE_URL!}},
  // the library is deployed too
  solidity: {profiles: {default: solc, production: solc}, npmFilesToBuild: ['fares/Fare.sol']},
})
