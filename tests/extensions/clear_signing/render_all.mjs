// Renders the calls and messages on standard input by the browser's module, and prints what it shows of each.

import { namesOf, renderCall, renderMessage } from "../../../src/statuary/extensions/clear_signing/pages/modules/render.js";
import { encodeType } from "../../../src/statuary/extensions/clear_signing/pages/modules/types.js";
import { bytesOf, NotShown, parseJson } from "../../../src/statuary/extensions/clear_signing/pages/modules/values.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { descriptors, bound, cases, chains } = parseJson(text);

function rendered({ descriptor, dataProvider, call, message, from }) {
  const names = namesOf(dataProvider, chains);
  const inner = (one, depth) => {
    const path = bound[`eip155:${one.chainId}:${one.to}`];
    if (!path || one.data.length < 4) return undefined;
    try {
      return renderCall(descriptors[path], one, names, inner, depth);
    } catch (error) {
      if (error instanceof NotShown) return undefined;
      throw error;
    }
  };
  if (call) return renderCall(descriptors[descriptor], { ...call, data: bytesOf(call.data) }, names, inner);
  const key = encodeType(message.primaryType, message.types);
  return renderMessage(descriptors[descriptor], { ...message, key, from }, names, inner);
}

const results = cases.map((one) => {
  try {
    return rendered(one);
  } catch (error) {
    if (error instanceof NotShown) return { error: error.message };
    throw error;
  }
});
process.stdout.write(JSON.stringify(results));
