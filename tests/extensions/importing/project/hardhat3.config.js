export default {
  solidity: {version: '0.8.30', path: process.env.SOLC, settings: {optimizer: {enabled: true, runs: 200}}},
}
