import ignition from '@nomicfoundation/hardhat-ignition'

// the metadata and the layouts are not among Hardhat's own outputs
const outputs = ['metadata', 'devdoc', 'userdoc', 'storageLayout', 'transientStorageLayout']
const solc = {
  version: '0.8.30',
  path: process.env.SOLC,
  settings: {optimizer: {enabled: true, runs: 200}, outputSelection: {'*': {'*': outputs}}},
}

export default {
  plugins: [ignition],
  networks: {local: {type: 'http', url: process.env.NODE_URL}},
  // Ignition deploys what the profile for production compiles
  solidity: {profiles: {default: solc, production: solc}},
}
