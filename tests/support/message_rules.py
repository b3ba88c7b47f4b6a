"""What the rules of the content mean that have no check of their own, and what to do."""

RULES = {
    "invalid-value": "A key has a value that is not allowed, such as a date without an offset, or an address without its "
    "checksum. The message shows the value and what is allowed. [Content files](content-reference.md) lists "
    "each key with its type.",
    "missing-key": "The file must have this key. Add it.",
    "unknown-key": "statuary does not know this key. Often it is misspelt, and the message suggests the nearest one. An "
    "unknown key is an error, so that a typing error doesn't leave a setting out.",
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
    "underivable-record": "The folder of a contract lacks a file that statuary needs to make the record: the compiler's input or "
    "output, or the code on the chain. The message names the file. [Import the contract](contracts.md) again "
    "with the missing option.",
    "damaged-export": "An export is cut off or inconsistent: a table, a part or an id is missing or repeated. Download its files again.",
    "source-unavailable": "statuary can't read a source of contracts: an object store, a database or a URL. Check its URL and your "
    "access. If the message names an extra, install it.",
    "extension-error": "An extension failed in this run. The message says why. The status is published without it.",
    "log-not-extended": "This run added nothing to the [log](log.md#sign-the-site-with-a-log), or the next build can't continue "
    "the log. statuary has published the site all the same. Until the log has its files, `statuary log verify` "
    "reports to readers what is missing.",
    "invalid-record-line": "`statuary pack` read a line that is not the record of a contract, or is a second record of the same "
    "contract. With `--remove`, the line is not the path of a record or a proof. Correct the line.",
    "upstream-unavailable": "`upstream` in site.yaml names a component that `components.yaml` does not have, or statuary can't read the"
    " saved status of another status page. Until you fix it, the component shows what your own incidents say. To read the page"
    " again, run `statuary upstream`.",
    "invalid-signature-list": "A line of `signatures.txt` is not a signature, such as `transfer(address,uint256)`. The message names the line. All other"
    " lines are published.",
    "invalid-api-file": "A file in `apis/` of the content is not one that explorers read. The message says why. All other files are published.",
    "unreadable-points": "statuary can't read the points of a measurement, so your page has no graph of it. The message names the "
    "file and the line. Everything else is published.",
    "internal-error": "This is a defect of statuary. The build leaves out the part that failed, and publishes everything else. "
    "Please report the message with the output of `python -X dev -m statuary`, which shows where it happened.",
    "invalid-page-name": "The name of a page can't be part of a URL on every host, or an alias of a page is the address of another "
    "page. In names, use only letters, digits, dots, hyphens and underscores.",
    "broken-link": "A link of a page leads to no page, no heading or no path of the site. Correct it.",
    "unknown-language": "statuary has no texts for the language in `pages.language`, or you wrote a text in a language that "
    "`languages` does not list. Choose one of `de`, `en`, `es`, `fr`, `ja`, `pt` and `zh`, or [write the "
    "texts](components.md#change-the-texts).",
    "blocked-style": "Your style sheet loads a font or an image from another site, or a second style sheet. Your pages don't "
    "allow that. Put the file beside `style.css` in your theme.",
    "invalid-theme-text": "A text of your theme has an unknown key, or other placeholders (such as `{count}`) than the text that it "
    "replaces. [Text keys](text-keys.md) lists each key with its placeholders.",
    "template-error": "A template of your theme fails. The message names the line. Pages use statuary's own template.",
    "unused-template": "No page uses this template of your theme. Its name is not that of a template of statuary, or only of an "
    "extension that is off, and none of your templates includes it. Correct the name, or delete the file.",
    "unsafe-svg": "An SVG of your theme could run a script. Export it without scripts.",
    "too-many-epochs": "The status will change more often than `status.max_epochs` allows. Build again before the later changes.",
    "compilation-mismatch": "The file `compilation.json` beside a record is about another record or another compiler, so it proves "
    "nothing about this record. Run `statuary contract compile` again.",
    "anchor-mismatch": "The file `anchor.json` beside a record does not prove what it claims: it is about another record or "
    "another block, or its proof is broken. statuary publishes the record without it. To get a new one, run "
    "`statuary contract anchor` again.",
    "unneeded-rejection": "`rejected` of a chain lists a contract whose record passes every check. Take it out of the list.",
    "runtime-code-mismatch": "The code at the contract's address is not the code that the compiler made. In a contract's folder with a "
    "`contract.yaml`, this is an error. If you have only a finished record, statuary publishes it, with a red "
    "headline.",
}
