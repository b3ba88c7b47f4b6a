/**
 * What the check of a contract's record shows after a click, for each case: its lines, its verdict, what it asked for.
 * `record` replaces the published record; `rpc` is the node that the reader names, and that a wallet asks too.
 */

export async function run({ open, base }, { path, cases }) {
  const shown = [];
  for (const { record, rpc } of cases) {
    const asked = [];
    const { page, context, complaints } = await open(path, {}, async (page) => {
      page.on("request", (request) => asked.push(request.url().replace(base, "")));
      if (record) await page.route("**/v2/contract/**", (route) => route.fulfill({ body: record }));
      if (rpc) await page.addInitScript(wallet, rpc);
    });
    asked.length = 0;
    const section = page.locator("[data-check]");
    const messageAfter = async (button, place) => {
      await section.locator(button).click();
      const said = section.locator(place).filter({ hasNotText: "Asking" }).filter({ hasText: /./ });
      return await said.textContent();
    };
    shown.push({
      verdict: await messageAfter("[data-run]", "[data-run] + [role=status]"),
      lines: await section.locator("ol li").evaluateAll((lines) =>
        lines.map((line) => ({
          outcome: line.querySelector("p > span").textContent,
          rule: line.querySelector("p > span + span").textContent,
          findings: [...line.querySelectorAll(".finding")].map((one) => one.textContent),
        }))),
      asked: [...asked],
      nodes: rpc ? [await byAddress(section, rpc, messageAfter), await messageAfter("[data-wallet]", "[data-node]")] : [],
      complaints,
    });
    await context.close();
  }
  return shown;
}

async function byAddress(section, rpc, messageAfter) {
  await section.locator("input").fill(rpc);
  return await messageAfter("[type=submit]", "[data-node]");
}

/** A wallet's provider (EIP-1193) that asks a node. */
function wallet(rpc) {
  const request = async ({ method, params }) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    return (await (await fetch(rpc, { method: "POST", headers, body })).json()).result;
  };
  globalThis.ethereum = { request };
}
