require('hardhat-deploy')

module.exports = {
  ...require('./hardhat2.config.js'),
  networks: {local: {url: process.env.NODE_URL}},
  namedAccounts: {owner: 0, guard: 1},
}
