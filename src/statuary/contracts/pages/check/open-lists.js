// Lists that Sourcify, solc and Vyper extend: a value that they lack is not known here, which is no fault by itself.

export const COMPILERS = { Solidity: "solc", Yul: "solc", Vyper: "vyper", Fe: "fe" };

/** Whether text may be a word that upstream adds, rather than a sentence. */
export const isName = (text) => /^[A-Za-z][A-Za-z0-9+._-]{0,39}$/.test(text);

/** Whether the rules for a language and its compiler are known; the compiler of another language is a contradiction. */
export const isKnownCompilation = (language, compiler) =>
  Object.hasOwn(COMPILERS, language) && (!compiler || Object.values(COMPILERS).includes(compiler));
