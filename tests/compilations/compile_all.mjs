// Many compilations by one compiler, in one process:
//
//     node compile_all.mjs <folder with node_modules> <compiler package> < inputs.json > outputs.json
//
// The inputs are a list of standard JSON; the outputs are the list of what the compiler returns, or null where it crashes. The
// newest solc package's wrapper speaks to every older compiler too.
import {readFileSync, writeSync} from 'node:fs'
import {createRequire} from 'node:module'

const [folder, compiler] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const solc = require('solc-0.8.37/wrapper')(require(`${compiler}/soljson.js`))

const compiled = JSON.parse(readFileSync(0, 'utf8')).map((input) => {
  try {
    return JSON.parse(solc.compile(JSON.stringify(input)))
  } catch {
    return null
  }
})
process.exitCode = 0
const text = Buffer.from(JSON.stringify(compiled))
for (let at = 0; at < text.length;) at += writeSync(1, text, at)
process.exit() // old compilers keep the process alive
