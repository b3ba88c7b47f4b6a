// One of the pinned compilers, spoken to as the released solc is:
//
//     node solc.mjs <folder with node_modules> <compiler package> --version
//     node solc.mjs <folder with node_modules> <compiler package> --standard-json < input.json > output.json
//
// The newest solc package's wrapper speaks to every older compiler too, whose own no longer runs on today's Node.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const [folder, compiler, ...options] = process.argv.slice(2)
const require = createRequire(`${folder}/package.json`)
const solc = require('solc-0.8.37/wrapper')(require(`${compiler}/soljson.js`))

if (options.includes('--version')) {
  console.log(`Version: ${solc.version()}`)
} else if (options.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  console.error('solc.mjs: give --version or --standard-json')
  process.exitCode = 1
}
