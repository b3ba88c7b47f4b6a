/*! Contains MiniSearch 7.2.0, copyright 2022 Luca Ongaro, MIT License: https://github.com/lucaong/minisearch */
// The search over the sections of a folder of pages, for questions in a reader's own words.

import MiniSearch from "minisearch";

// words of a question that say nothing about its subject
const IGNORED = new Set(
  "a an and are as at be by can do does for from how i in is it me my of on or our so that the there this to use was we what when where which who why will with you your"
    .split(" "),
);
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** The words of a text; Chinese and Japanese have none between spaces. */
function tokenize(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => CJK.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word]);
}

/** A word without the usual endings of English, so that "incidents" finds "incident". */
function processTerm(word) {
  if (IGNORED.has(word)) return null;
  return word.length > 4 ? word.replace(/ies$/, "y").replace(/(?:ing|ed|es|s)$/, "") : word.length > 2 ? word.replace(/s$/, "") : word;
}

/**
 * Index sections, and return a function from a question to the sections that fit it, the best first.
 * A section is a list, as in search.json: title, heading, path, text, keywords, weight.
 */
export function createSearch(sections) {
  const index = new MiniSearch({ fields: ["title", "heading", "keywords", "text"], processTerm, tokenize });
  index.addAll(sections.map(([title, heading, , text, keywords], id) => ({ id, title, heading, keywords, text })));
  return (question) => {
    const exact = question.trim().toLowerCase();
    const boostDocument = (id) => {
      const [title, heading, , , , weight] = sections[id];
      return weight * ((heading || title).toLowerCase() === exact ? 8 : 1);
    };
    const hits = index.search(question, {
      boost: { title: 3, heading: 3, keywords: 4 },
      boostDocument,
      prefix: (word) => word.length > 2,
      fuzzy: (word) => word.length > 5 ? 0.2 : false,
    });
    return hits.map(({ id }) => sections[id]);
  };
}
