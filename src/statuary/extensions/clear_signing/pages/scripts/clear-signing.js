// On the page of a contract: finds out whether a descriptor is bound to it; only then is the rest loaded.

async function pathsOf({ signing, chain, address }) {
  const key = `eip155:${chain}:${address.toLowerCase()}`;
  const read = async (name) => {
    const response = await fetch(signing.replace("index.json", `index.${name}.json`));
    return response.ok ? (await response.json())[key] : undefined;
  };
  const [calls, messages] = await Promise.all([read("calldata"), read("eip712")]);
  const ofMessages = Object.values(messages ?? {}).flat().map(({ path }) => path);
  return [...new Set([...(calls ? [calls] : []), ...ofMessages])];
}

// an address such as `…#proof` leads below this section, which is filled when the reader may be there already
let hasMoved = false;
for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(kind, () => {
    hasMoved = true;
  }, { once: true, passive: true });
}

async function show(section) {
  const paths = await pathsOf(section.dataset).catch(() => []);
  if (!paths.length) return;
  const { showDescriptors } = await import("./clear-signing-view.js");
  await showDescriptors(section, paths);
  if (!hasMoved) document.querySelector(":target")?.scrollIntoView({ behavior: "instant" });
}

/** On the page of any contract, whose content comes later: puts the section after the interface, once that is there. */
function place(template) {
  const above = document.querySelector("#interface")?.closest("section");
  if (!above || document.querySelector("[data-signing]")) return;
  const query = new URLSearchParams(location.search);
  const section = document.importNode(template.content, true).querySelector("[data-signing]");
  const [chain, address] = [query.get("chain"), query.get("address")];
  Object.assign(section.dataset, { chain, address });
  const proof = section.querySelector(".head a");
  const path = proof.getAttribute("href").replace("/CHAIN/address.", `/${chain}/${address.toLowerCase()}.`);
  proof.setAttribute("href", path);
  above.after(section);
  show(section);
}

const section = document.querySelector("[data-signing]");
if (section) {
  await show(section);
} else {
  const template = [...document.querySelectorAll("template[data-part]")].find(({ content }) =>
    content.querySelector("[data-signing]")
  );
  document.addEventListener("statuary:content", () => place(template));
  place(template); // it may be there already
}
