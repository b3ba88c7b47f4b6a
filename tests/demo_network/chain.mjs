// A chain in memory: runs the demo network's transactions on a real EVM and says what it then holds.
//
//     node chain.mjs <folder with node_modules> < plan.json > contracts.json
//
// The plan is `{network, artifacts, predeployed, transactions}` as make.py writes it. Everything that a hash
// depends on is in it or is a constant here: the accounts' keys are hashes of their names, nonces count from
// zero, fees never change. The answer lists the contracts in the order in which they came to be.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const [folder] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const {createBlock} = require('@ethereumjs/block')
const {createCustomCommon, Hardfork, Mainnet} = require('@ethereumjs/common')
const {createFeeMarket1559Tx} = require('@ethereumjs/tx')
const {createAccount, createAddressFromString, bytesToHex, hexToBytes} = require('@ethereumjs/util')
const {createVM, runTx} = require('@ethereumjs/vm')
const {Interface, concat, getAddress, id, parseEther, Wallet} = require('ethers')

const GWEI = 1_000_000_000n
const BASE_FEE = 7n
const BLOCK_GAS = 30_000_000n
const TRANSACTION_GAS = 12_000_000n
const STARTING_BALANCE = '1000000'

const plan = JSON.parse(readFileSync(0, 'utf8'))
const {chain_id: chainId, name, genesis, seconds_per_block: secondsPerBlock} = plan.network
const common = createCustomCommon({chainId, name}, Mainnet, {hardfork: Hardfork.Prague})
const vm = await createVM({common})

const accounts = new Map()
const deployed = new Map()
const contracts = []

async function openAccount(who) {
  const wallet = new Wallet(id(`Plinth demo network: ${who}`))
  const address = createAddressFromString(wallet.address)
  await vm.stateManager.putAccount(address, createAccount({balance: parseEther(STARTING_BALANCE)}))
  accounts.set(who, {address: wallet.address, key: hexToBytes(wallet.privateKey), nonce: 0n})
}

// `@who` is an account, `$Contract` a contract deployed before, `2 PLT` an amount, `{call, …}` call data.
function resolved(value) {
  if (Array.isArray(value)) return value.map(resolved)
  if (value?.call) return callData(value.call, value.function, value.arguments)
  if (typeof value !== 'string') return value
  if (value.startsWith('@')) return accounts.get(value.slice(1)).address
  if (value.startsWith('$')) return deployed.get(value.slice(1))
  const amount = /^([\d.]+) PLT$/.exec(value)
  return amount ? parseEther(amount[1]) : value
}

function callData(contract, signature, values = []) {
  return new Interface(plan.artifacts[contract].abi).encodeFunctionData(signature, resolved(values))
}

function linked({bytecode, linkReferences, libraryNames}) {
  let code = bytecode
  for (const [path, libraries] of Object.entries(linkReferences ?? {})) {
    for (const [library, places] of Object.entries(libraries)) {
      const address = deployed.get(libraryNames[`${path}:${library}`]).slice(2).toLowerCase()
      for (const {start, length} of places) {
        code = code.slice(0, start * 2) + address + code.slice((start + length) * 2)
      }
    }
  }
  return `0x${code}`
}

function creationCode(contract, values = []) {
  const artifact = plan.artifacts[contract]
  const encoded = artifact.abi ? new Interface(artifact.abi).encodeDeploy(resolved(values)) : '0x'
  return concat([linked(artifact), encoded])
}

function signed({from, to, data, value}) {
  const sender = accounts.get(from)
  return createFeeMarket1559Tx(
    {
      chainId,
      nonce: sender.nonce++,
      maxFeePerGas: 2n * GWEI,
      maxPriorityFeePerGas: GWEI,
      gasLimit: TRANSACTION_GAS,
      to: to ? createAddressFromString(to) : undefined,
      value: value ?? 0n,
      data,
    },
    {common},
  ).sign(sender.key)
}

function asTransaction(step) {
  const value = step.value ? parseEther(step.value.replace(' PLT', '')) : 0n
  if (step.deploy) return signed({from: step.from, data: creationCode(step.deploy, step.arguments), value})
  const data = callData(step.as ?? step.call, step.function, step.arguments)
  return signed({from: step.from, to: deployed.get(step.call), data, value})
}

// Every creation in a transaction, also those by contracts: the address and the creation code.
function watchCreations() {
  const open = []
  const done = []
  const entered = (message, resolve) => {
    open.push(message.to === undefined ? bytesToHex(message.data) : null)
    resolve?.()
  }
  const left = (result, resolve) => {
    const creation = open.pop()
    if (creation !== null) done.push({address: getAddress(result.createdAddress.toString()), creation})
    resolve?.()
  }
  vm.evm.events.on('beforeMessage', entered)
  vm.evm.events.on('afterMessage', left)
  const stop = () => {
    vm.evm.events.off('beforeMessage', entered)
    vm.evm.events.off('afterMessage', left)
  }
  return {done, stop}
}

async function runtimeCode(address) {
  return bytesToHex(await vm.stateManager.getCode(createAddressFromString(address)))
}

// The implementation that ERC-1967's slot names at the end of the plan, as a client would read it.
async function implementation(address) {
  const slot = hexToBytes('0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc')
  const word = await vm.stateManager.getStorage(createAddressFromString(address), slot)
  return word.length ? getAddress(bytesToHex(word)) : null
}

async function run(step, block, transactionIndex) {
  const transaction = asTransaction(step)
  const creations = watchCreations()
  const {execResult} = await runTx(vm, {tx: transaction, block})
  creations.stop()
  if (execResult.exceptionError) {
    throw new Error(`${step.deploy ?? step.call}: ${execResult.exceptionError.error} ${bytesToHex(execResult.returnValue)}`)
  }
  const contract = step.deploy ?? step.creates
  if (!contract) return
  if (creations.done.length !== 1) throw new Error(`${contract}: ${creations.done.length} creations`)
  const [{address, creation}] = creations.done
  if (deployed.has(contract)) throw new Error(`${contract}: deployed twice`)
  deployed.set(contract, address)
  contracts.push({
    contract,
    address,
    creation,
    runtime: await runtimeCode(address),
    deployment: {
      transaction_hash: bytesToHex(transaction.hash()),
      block_number: Number(block.header.number),
      transaction_index: transactionIndex,
      deployer: accounts.get(step.from).address,
    },
  })
}

async function predeploy({contract, address}) {
  await vm.stateManager.putAccount(createAddressFromString(address), createAccount({nonce: 1n}))
  await vm.stateManager.putCode(createAddressFromString(address), hexToBytes(`0x${plan.artifacts[contract].runtime}`))
  deployed.set(contract, getAddress(address))
  contracts.push({contract, address: getAddress(address), creation: null, runtime: await runtimeCode(address), deployment: null})
}

function blockAt(timestamp) {
  const number = Math.floor((timestamp - genesis) / secondsPerBlock)
  const header = {number, timestamp: genesis + number * secondsPerBlock, gasLimit: BLOCK_GAS, baseFeePerGas: BASE_FEE}
  return createBlock({header}, {common, skipConsensusFormatValidation: true})
}

for (const who of plan.network.accounts) await openAccount(who)
for (const contract of plan.predeployed) await predeploy(contract)
let block = null
let place = 0
for (const step of plan.transactions) {
  const next = blockAt(step.at)
  place = block?.header.number === next.header.number ? place + 1 : 0
  block = next
  await run(step, block, place)
}
for (const contract of contracts) contract.implementation = await implementation(contract.address)
process.stdout.write(JSON.stringify({contracts}))
