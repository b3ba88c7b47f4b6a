#!/usr/bin/env node
// solc's command line, as far as crytic-compile uses it: `solc --standard-json` on npm's solc, with the files
// that sources name by their URLs read from the working folder.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'

const solc = createRequire(`${process.env.SOLC}/package.json`)('solc')

function readSource(path) {
  try {
    return {contents: readFileSync(path, 'utf8')}
  } catch (error) {
    return {error: error.message}
  }
}

if (!process.argv.includes('--standard-json')) throw new Error('only --standard-json is spoken here')
process.stdout.write(solc.compile(readFileSync(0, 'utf8'), {import: readSource}))
