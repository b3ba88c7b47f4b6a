"""What the rules of the content mean that have no check of their own, and what to do."""

RULES = {
    "right-value": "A key has a value that it cannot have: another type, an unknown word, a date without an offset, an address without its"
    " checksum. The message names the value and what is allowed. [Content files](content-reference.md) lists each key with its type.",
    "required-key": "A key is missing that the file must have. Add it; the message names it.",
    "known-keys": "A key is not one that statuary reads, often a misspelt one: the message suggests the nearest. Unknown keys are errors, so that a"
    " typing error does not hide a setting.",
    "required-file": "A file is missing that the content must have, such as `site.yaml`. `statuary init` writes a folder with all of them.",
    "known-files": "A file in the content folder is not read, because nothing has its name. Rename it, or move it out of the folder.",
    "one-file": "Two files say the same thing, such as `a.yaml` and `a.yml`. Remove one.",
    "content-folder": "There is no content folder here. Name it with `--content`, or write one with `statuary init`.",
    "inside-content": "A path leads out of the content folder, or through a link to what is not part of it. Copy the file into the content.",
    "readable-text": "A file is not UTF-8, or not YAML, JSON or Markdown of the right form. The line and column are those at which reading stopped.",
    "within-limits": "A file or value is larger than statuary reads. The message names the limit. A site without it is published.",
    "known-chain": "A record or a key names a chain that `site.yaml` does not have. Add it to `chains`, or move the record.",
    "path-names-contract": "The path of a record does not name its chain and its checksummed address: `contracts/<chainId>/<address>.json`. Rename it.",
    "derivable": "A workspace lacks a file from which its record is derived: the compiler's input or output, or the code on the chain. The message names it.",
    "whole-export": "An export is cut off or inconsistent: a table, a part or an id is missing or repeated. Download its files again.",
    "reachable-source": "A source of contracts in an object store, a database or on the web cannot be read. Check its URL and its access, or install the extra that the message names.",
    "installed-extension": "`site.yaml` uses an extension that is not installed. Install the extra that the message names, or remove the key.",
    "working-extension": "An extension failed in this run. The status is published without it. The message says why.",
    "working-statuary": "statuary failed in a way that nobody foresaw: a defect. What it was about is withheld, the rest is published. Please report the line; `python -X dev -m statuary` shows where it happened.",
    "page-name": "The name of a page cannot be part of a URL on every host. Use letters, digits, dots, hyphens and underscores.",
    "page-links": "A link of a page leads nowhere: to no page, no heading or no path of the site. Correct it.",
    "known-language": "There are no texts for the language in `pages.language`. Choose `en` or `de`, or write `theme/texts/<language>.yaml`: [text keys](text-keys.md) lists them.",
    "theme-texts": "A text of the theme has a key that does not exist, or other placeholders than the text that it replaces. [Text keys](text-keys.md) lists both.",
    "theme-templates": "A template of the theme cannot be rendered; the pages use the package's own. The message names the line.",
    "inert-picture": "An SVG of the theme could run a script. Export it without scripts.",
    "epochs-within-limit": "The status changes more often ahead than `status.max_epochs` allows. Later changes need another build.",
    "compilation-is-of-the-record": "`compilation.json` beside a record is about another record or another compiler. It states nothing of this one.",
    "anchor-shows-the-contract": "`anchor.json` beside a record does not show what it claims: another record, another block or a broken proof. The record is published without it.",
    "runtime-code-is-the-compiled-code": "The code at the address is not the compiled code. In a workspace this is an error; a finished record is published with a red headline.",
}
