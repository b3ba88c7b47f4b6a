// Compiles standard JSON from standard input to standard output with one of the pinned compilers:
//
//     node solc.mjs <folder with node_modules> <compiler package> < input.json > output.json
//
// The newest solc package's wrapper speaks to every older compiler too.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const [folder, compiler] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const solc = require('solc-0.8.37/wrapper')(require(`${compiler}/soljson.js`))

const input = readFileSync(0, 'utf8')
process.stdout.write(JSON.stringify({version: solc.version(), output: JSON.parse(solc.compile(input))}))
