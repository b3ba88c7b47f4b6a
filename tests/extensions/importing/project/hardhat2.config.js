// Hardhat 2 takes a compiler from the folder that SOLC names, so that it need not fetch one.
const {subtask} = require('hardhat/config')
const {TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD} = require('hardhat/builtin-tasks/task-names')

subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({solcVersion}) => ({
  compilerPath: process.env.SOLC,
  isSolcJs: true,
  version: solcVersion,
  longVersion: require(`${process.env.SOLC}/../wrapper`)(require(process.env.SOLC)).version().split('.Em')[0],
}))

module.exports = {solidity: {version: '0.8.30', settings: {optimizer: {enabled: true, runs: 200}}}}
