// What the SDK's custom resolver shows of calls and messages: {"url", "calls", "messages", "tokens"} in, what it formats out.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const {format, formatTypedData} = createRequire(`${process.env.CLIENT}/package.json`)('@ethereum-sourcify/clear-signing')
const {url, calls, messages, tokens} = JSON.parse(readFileSync(0, 'utf8'))

async function read(path) {
  const answer = await fetch(`${url}/clear-signing/${path}`)
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.json()
}

const index = {calldataIndex: await read('index.calldata.json'), typedDataIndex: await read('index.eip712.json')}
const options = {
  descriptorResolverOptions: {type: 'custom', resolver: {index, fetchDescriptor: read}},
  externalDataProvider: {resolveToken: async (_chain, address) => tokens[address.toLowerCase()] ?? null},
}
const shown = []
for (const call of calls) shown.push(await format({...call, value: BigInt(call.value ?? 0)}, options))
for (const message of messages) shown.push(await formatTypedData(message, options))
process.stdout.write(JSON.stringify(shown, (_key, value) => typeof value === 'bigint' ? value.toString() : value))
