// Decodes each call, error or log of a JSON array on standard input, and prints what was found.

import { decode } from "../../src/statuary/contracts/pages/check/decode.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const results = JSON.parse(text).map(({ abi, data }) => {
  try {
    return decode(abi, data).map(({ name, values, rest }) => ({ name, values: values?.map(({ value }) => value), rest }));
  } catch (error) {
    return { error: error.message };
  }
});
process.stdout.write(JSON.stringify(results));
