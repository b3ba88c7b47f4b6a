// Reads the code of a contract from a node that the reader names.

const CODE = /^0x(?:[0-9a-f]{2})*$/i;

/**
 * The runtime code at an address in a node's latest block, or what kept it, by the name of its text:
 * `unreachable` (a browser does not tell which of its reasons holds), `late`, `foreign`, `refused`, `empty`.
 */
export async function codeAt(url, address, seconds) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getCode", params: [address, "latest"] });
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(1000 * seconds);
  try {
    const options = { method: "POST", headers, body, credentials: "omit", cache: "no-store", signal };
    const response = await fetch(url, options);
    return codeIn(await response.text(), response.status);
  } catch ({ name }) {
    return name === "TimeoutError" ? { problem: "late", values: { seconds } } : { problem: "unreachable" };
  }
}

function codeIn(text, status) {
  const foreign = { problem: "foreign", values: { status } };
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    return foreign;
  }
  if (answer?.error) {
    const reason = String(answer.error.message ?? answer.error.code ?? status).slice(0, 300);
    return { problem: "refused", values: { reason } };
  }
  if (typeof answer?.result !== "string" || !CODE.test(answer.result)) return foreign;
  return answer.result.length > 2 ? { code: answer.result } : { problem: "empty" };
}
