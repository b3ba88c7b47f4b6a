/** The pieces of a source with their style classes, as the script of contract pages finds them. */

export async function run({ open }, { text, language }) {
  const { page } = await open("index.html");
  return page.evaluate(async ([text, language]) => {
    const { highlighted } = await import("/assets/contract.js");
    return [...highlighted(text, language)];
  }, [text, language]);
}
