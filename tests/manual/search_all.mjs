/**
 * The search of the manual, asked many questions: reads {"script", "sections", "questions"} as JSON from standard input,
 * and writes a list of paths for each question.
 */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { script, sections, questions } = JSON.parse(readFileSync(0, "utf8"));
const { createSearch } = await import(pathToFileURL(script));
const search = createSearch(sections);
console.log(JSON.stringify(questions.map((question) => search(question).map(([, , path]) => path))));
