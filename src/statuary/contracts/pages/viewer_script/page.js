// The page of any contract: reads its record and its proof, and shows them with the templates of the contract's page.

import { parseJson } from "../check/values.js";
import { filledWithNodes, Templates } from "./template.js";
import { pageTexts } from "./texts.js";
import { contractView } from "./view.js";

// `SITE`, the templates, texts and chains of the site, stands before this script
const root = new URL("..", import.meta.url);
const place = document.querySelector("[data-viewer]");
const status = place.querySelector("[role=status]");
const form = place.querySelector("form");
const { dataset } = place;

const say = (key, values = {}) => {
  status.textContent = dataset[key].replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
};

async function read(path) {
  const response = await fetch(new URL(path, root), { cache: "no-cache" });
  if (!response.ok) throw Object.assign(new Error(`${response.status} ${path}`), { status: response.status });
  return response.text();
}

/** Formats a time as the site's pages do: `20 Nov 2026, 13:00 CET`. */
function momentFormatter({ zone, isUtc }, t) {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: isUtc ? undefined : "short",
  });
  return (text) => {
    const at = new Date(text);
    const { year, month, day, hour, minute, second, timeZoneName } = Object.fromEntries(
      parts.formatToParts(at).map(({ type, value }) => [type, value]),
    );
    const date = t("date.short", { day, month: t(`month.${month}.short`), year });
    const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
    const offset = Math.round((local - at) / 60_000);
    const digits = (number) => String(Math.floor(Math.abs(number))).padStart(2, "0");
    const iso = `${local.toISOString().slice(0, 19)}${offset < 0 ? "-" : "+"}${digits(offset / 60)}:${
      digits(offset % 60)
    }`;
    return {
      iso,
      day: { iso, text: date },
      text: t("date.moment", { day: date, time: `${hour}:${minute} ${isUtc ? "UTC" : timeZoneName}` }),
    };
  };
}

/** The implementations of a proxy that have a record here. */
async function withRecords({ chainId, proxyResolution }) {
  const addresses = (proxyResolution?.implementations ?? []).map(({ address }) => address).filter((one) =>
    /^0x[0-9a-fA-F]{40}$/.test(one)
  );
  const found = await Promise.all(
    addresses.slice(0, 20).map(async (address) => {
      const response = await fetch(new URL(`v2/contract/${chainId}/${address}`, root), { method: "HEAD" }).catch(
        () => ({ ok: false }),
      );
      return response.ok ? [address] : [];
    }),
  );
  return new Set(found.flat());
}

async function show(chain, address) {
  const [record, proof, { checks }] = await Promise.all([
    read(`v2/contract/${chain}/${address}`).then(parseJson),
    read(`proof/${chain}/${address}.json`).then(JSON.parse).catch(() => ({})),
    read("proof/checks.json").then(JSON.parse).catch(() => ({ checks: [] })),
  ]);
  if (record.chainId !== chain || record.address?.toLowerCase() !== address) {
    throw new Error(`${record.chainId} ${record.address}`);
  }
  const site = SITE;
  site.rules = Object.fromEntries(checks.map(({ check, rule }) => [check, rule]));
  const t = pageTexts(site.texts);
  const globals = {
    t,
    t_markup: (key, values) => filledWithNodes(t(key), values),
    namespace: (values) => ({ ...values }),
    slot: () => [],
    root: dataset.root,
  };
  const view = contractView(record, proof, site, t, momentFormatter(site, t), await withRecords(record));
  place.replaceWith(new Templates(site.templates, globals).render("contract.html", { view }));
  document.title = document.title.replace(
    dataset.title,
    `${view.name.slice(0, 100)} ${record.address.slice(0, 8)}…${record.address.slice(-6)}`,
  );
  const { colour } = await import(new URL("contract.js", import.meta.url));
  const first = document.querySelector("#s1 pre[data-language]");
  if (first) colour(first, "s1");
  performance.mark("contract");
  document.dispatchEvent(new Event("statuary:content"));
}

async function begin() {
  const query = new URLSearchParams(location.search);
  const [chain, address] = [query.get("chain") ?? "", (query.get("address") ?? "").toLowerCase()];
  form.elements.chain.value = chain;
  form.elements.address.value = address;
  if (!chain && !address) return say("empty");
  if (!/^\d{1,20}$/.test(chain) || !/^0x[0-9a-f]{40}$/.test(address)) return say("invalid");
  say("asking");
  try {
    await show(chain, address);
  } catch (error) {
    if (error.status === 404 || error.status === 400) say("missing", { chain, address });
    else say("failed", { reason: error.message });
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.search = new URLSearchParams(new FormData(form));
});

begin();
