/** The pieces of each source with their style classes, as the script of contract pages finds them. */

export async function run({ open }, { sources }) {
  const { page } = await open("index.html", {}, () => {}, "load");
  return page.evaluate(async (sources) => {
    const { highlighted } = await import("/assets/contract.js");
    return sources.map(([text, language]) => [...highlighted(text, language)]);
  }, sources);
}
