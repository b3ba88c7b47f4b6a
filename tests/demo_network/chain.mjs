// Runs the demo network's transactions on a new chain of an Ethereum node, and prints the resulting state.
//
//     node chain.mjs <folder with node_modules> <URL of the node> < plan.json > contracts.json
//
// The plan is `{network, artifacts, predeployed, transactions}` as make.py writes it. Everything that a hash
// depends on is in it or is a constant here: the accounts' keys are hashes of their names, nonces count from
// zero, fees never change, and there is a block whenever there is something to put into one. The answer lists the
// contracts in the order in which they came to be.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const [folder, url] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const {Interface, concat, getAddress, id, parseEther, toQuantity, Wallet} = require('ethers')

const GWEI = 1_000_000_000n
const TRANSACTION_GAS = 12_000_000n
const STARTING_BALANCE = '1000000'
const EMPTY_BLOCKS = 4 // at the end, so that the last transaction is finalized
const SECONDS_BETWEEN = 4

const plan = JSON.parse(readFileSync(0, 'utf8'))
const {chain_id: chainId, finalized} = plan.network

async function ask(method, ...params) {
  const body = JSON.stringify({jsonrpc: '2.0', id: 1, method, params})
  const response = await fetch(url, {method: 'POST', headers: {'content-type': 'application/json'}, body})
  const {result, error} = await response.json()
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

const accounts = new Map()
const deployed = new Map()
const contracts = []

async function openAccount(who) {
  const wallet = new Wallet(id(`Plinth demo network: ${who}`))
  await ask('anvil_setBalance', wallet.address, toQuantity(parseEther(STARTING_BALANCE)))
  accounts.set(who, {address: wallet.address, wallet, nonce: 0})
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
  return sender.wallet.signTransaction({
    type: 2,
    chainId,
    nonce: sender.nonce++,
    maxFeePerGas: 2n * GWEI,
    maxPriorityFeePerGas: GWEI,
    gasLimit: TRANSACTION_GAS,
    to,
    value: value ?? 0n,
    data,
  })
}

function asTransaction(step) {
  const value = step.value ? parseEther(step.value.replace(' PLT', '')) : 0n
  if (step.deploy) {
    const code = creationCode(step.deploy, step.arguments)
    // Scaffold takes a salt and creation code, and creates with CREATE2
    const data = step.salt ? concat([step.salt, code]) : code
    return signed({from: step.from, to: deployed.get(step.through), data, value})
  }
  const data = callData(step.as ?? step.call, step.function, step.arguments)
  return signed({from: step.from, to: deployed.get(step.call), data, value})
}

// Every creation in a transaction, also those by contracts: the address and the creation code.
function creationsIn(frame) {
  const own = frame.type.startsWith('CREATE') ? [{address: getAddress(frame.to), creation: frame.input}] : []
  return [...own, ...(frame.calls ?? []).flatMap(creationsIn)]
}

// The implementation that ERC-1967's slot names at the end of the plan, as a client would read it.
async function implementation(address) {
  const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
  const word = await ask('eth_getStorageAt', address, slot, 'latest')
  return BigInt(word) ? getAddress(`0x${word.slice(-40)}`) : null
}

async function mine(timestamp) {
  await ask('evm_setNextBlockTimestamp', timestamp)
  await ask('evm_mine')
}

async function report(step, hash) {
  const {status, blockNumber, transactionIndex, from} = await ask('eth_getTransactionReceipt', hash)
  const contract = step.deploy ?? step.creates
  if (status !== '0x1') throw new Error(`${contract ?? step.call}: the transaction failed`)
  if (!contract) return
  const creations = creationsIn(await ask('debug_traceTransaction', hash, {tracer: 'callTracer'}))
  if (creations.length !== 1) throw new Error(`${contract}: ${creations.length} creations`)
  const [{address, creation}] = creations
  if (deployed.has(contract)) throw new Error(`${contract}: deployed twice`)
  deployed.set(contract, address)
  contracts.push({
    contract,
    address,
    creation,
    runtime: await ask('eth_getCode', address, 'latest'),
    deployment: {
      transaction_hash: hash,
      block_number: Number(blockNumber),
      transaction_index: Number(transactionIndex),
      deployer: getAddress(from),
    },
  })
}

async function predeploy({contract, address}) {
  const runtime = `0x${plan.artifacts[contract].runtime}`
  await ask('anvil_setNonce', address, '0x1')
  await ask('anvil_setCode', address, runtime)
  deployed.set(contract, getAddress(address))
  contracts.push({contract, address: getAddress(address), creation: null, runtime, deployment: null})
}

// Steps of the same time are in the same block.
function blocks() {
  const found = new Map()
  for (const step of plan.transactions) found.set(step.at, [...(found.get(step.at) ?? []), step])
  return found
}

await ask('evm_setAutomine', false)
for (const who of plan.network.accounts) await openAccount(who)
for (const contract of plan.predeployed) await predeploy(contract)
for (const [timestamp, steps] of blocks()) {
  const hashes = []
  for (const step of steps) hashes.push(await ask('eth_sendRawTransaction', await asTransaction(step)))
  await mine(timestamp)
  for (const [place, step] of steps.entries()) await report(step, hashes[place])
}
for (const contract of contracts) contract.implementation = await implementation(contract.address)
for (let empty = 0; empty < EMPTY_BLOCKS; empty++) await mine(finalized + empty * SECONDS_BETWEEN)
process.stdout.write(JSON.stringify({contracts}))
