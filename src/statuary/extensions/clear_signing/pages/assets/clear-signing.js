// On the page of a contract: finds out whether a descriptor is bound to it; only then is the rest loaded.

const section = document.querySelector("[data-signing]");

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

if (section) {
  const paths = await pathsOf(section.dataset).catch(() => []);
  if (paths.length) {
    const { showDescriptors } = await import("./clear-signing-view.js");
    await showDescriptors(section, paths);
  }
}
