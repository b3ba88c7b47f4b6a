"""What the rules of the content mean that have no check of their own, and what to do."""

RULES = {
    "invalid-value": "A key has a value of the wrong type, an unknown word, a date without an offset, or an address without its checksum. The"
    " message shows the value and what is allowed. [Content files](content-reference.md) lists each key with its type.",
    "missing-key": "The file must have this key. Add it.",
    "unknown-key": "statuary does not read this key. Often it is misspelt, and the message suggests the nearest one. Unknown keys are errors, so"
    " that a typing error doesn't hide a setting.",
    "missing-file": "The content must have this file, such as `site.yaml`. `statuary init` writes a folder with all of them.",
    "unknown-file": "statuary reads no file of this name here. Rename it, or move it out of the content folder.",
    "duplicate-chain": "`chains` in site.yaml lists a chain twice. Remove one of the two.",
    "duplicate-file": "Two files say the same thing, such as `a.yaml` and `a.yml`. Remove one.",
    "missing-content-folder": "There is no content folder here. Name it with `--content`, or write one with `statuary init`.",
    "outside-content": "A path leads out of the content folder, directly or through a link. Copy the file into the content.",
    "parse-error": "The file is not UTF-8, or not valid YAML, JSON or Markdown. The message shows the line and column at which reading stopped.",
    "limit-exceeded": "A file or value is larger than statuary reads. The message names the limit. Everything else is published.",
    "unknown-chain": "A record or a key names a chain that `site.yaml` does not have. Add it to `chains`, or move the record.",
    "path-mismatch": "The path of a record must name its chain and its checksummed address: `contracts/<chainId>/<address>.json`. Rename the file.",
    "underivable-record": "The folder of a contract lacks a file from which its record is derived: the compiler's input or output, or the code on the"
    " chain. The message names the file. [Import the contract](contracts.md) again with the missing option.",
    "damaged-export": "An export is cut off or inconsistent: a table, a part or an id is missing or repeated. Download its files again.",
    "source-unavailable": "A source of contracts in an object store, a database or on the web can't be read. Check its URL and your access, or install"
    " the extra that the message names.",
    "extension-error": "An extension failed in this run. The message says why. The status is published without it.",
    "log-not-extended": "This run did not extend the [log](log.md#sign-the-site-with-a-log), or the next build can't continue it. The site is published. Until the log has its"
    " files, `statuary log verify` reports that to readers.",
    "invalid-record-line": "`statuary pack` read a line that is not a record, a second line for the same contract, or a path that is not that of a record"
    " or a proof. Correct the line. (A build would exclude the record.)",
    "upstream-unavailable": "A component follows another status page, but the saved status of that page can't be read, or the component does not exist."
    " The component shows what your own incidents say. `statuary upstream` reads the page again.",
    "invalid-signature-list": "A line of `signatures.txt` is not a signature, such as `transfer(address,uint256)`. The message names the line. All other"
    " lines are published.",
    "invalid-api-file": "A file in `apis/` of the content is not one that explorers read. The message says why. All other files are published.",
    "unreadable-points": "The points of a measurement can't be read, so it has no graph. The message names the file and the line. Everything else is"
    " published.",
    "internal-error": "statuary has a defect. The part that failed is excluded, and everything else is published. Please report the message with the"
    " output of `python -X dev -m statuary`, which shows where it happened.",
    "invalid-page-name": "The name of a page can't be part of a URL on every host, or an alias is the address of a page. Use letters, digits, dots, hyphens"
    " and underscores.",
    "broken-link": "A link of a page leads to no page, no heading or no path of the site. Correct it.",
    "unknown-language": "There are no texts for the language in `pages.language`, or a text is in a language that `languages` does not list. Choose one of"
    " `de`, `en`, `es`, `fr`, `ja`, `pt` and `zh`, or [write the texts](components.md#change-the-texts).",
    "blocked-style": "Your style sheet loads a font or a picture of another site, or a second style sheet. Pages don't allow that. Put the file beside"
    " `style.css`.",
    "invalid-theme-text": "A text of your theme has a key that does not exist, or other placeholders than the text that it replaces."
    " [Text keys](text-keys.md) lists both.",
    "template-error": "A template of your theme fails. The message names the line. Pages use statuary's own template.",
    "unused-template": "No page uses a template of your theme: it has no name of a template of statuary, or only of an extension that is off, and none"
    " of your templates includes it. Correct its name, or delete it.",
    "unsafe-svg": "An SVG of your theme could run a script. Export it without scripts.",
    "too-many-epochs": "The status will change more often than `status.max_epochs` allows. Build again before the later changes.",
    "compilation-mismatch": "`compilation.json` beside a record is about another record or another compiler, so it shows nothing about this one. Run"
    " `statuary contract compile` again.",
    "anchor-mismatch": "`anchor.json` beside a record does not show what it claims: it is about another record or another block, or its proof is broken."
    " The record is published without it. Run `statuary contract anchor` again.",
    "unneeded-rejection": "`rejected` of a chain lists a contract whose record passes every check. Take it out of the list.",
    "runtime-code-mismatch": "The code at the address is not the compiled code. In the folder of a contract this is an error. A finished record is"
    " published with a red headline.",
}
