"""The reference pages of the manual, generated from the source models, the commands, the rules and the texts of pages.

PYTHONPATH=tests python tests/support/manual.py          writes them to content/pages/manual again
PYTHONPATH=tests python tests/support/manual.py FOLDER   writes them to a folder
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from statuary.cli.main import COMMAND_GROUPS
from statuary.cli.main import command as main
from statuary.cli.old_names import OLD_RULES
from statuary.contracts.checks.proof_rule_list import PROOF
from statuary.engine.json_schemas import SCHEMA_MODELS
from statuary.engine.rule_catalogue import all_rules
from statuary.site.pages.page_texts import page_texts
from statuary.status.section import STATUS_RULES
from support.content_keys import KeySection, SourceFileKeys, source_file_keys
from support.message_rules import CONTENT, CONTRACTS, DESCRIPTORS, STATUS
from support.requirements import CHECKOUT
from support.text_groups import TEXT_GROUPS

MANUAL = CHECKOUT / "content" / "pages" / "manual"

FILES = [name for name in SCHEMA_MODELS if name != "record"]  # a record is Sourcify's own format

REFERENCE = "group: Reference\nsearch: low"

NAMES = ("content-reference", "command-reference", "text-keys", "messages")
"""The names of the generated pages, and of the folders that hold nothing else."""


def is_generated(name: str) -> bool:
    """Whether a page of the manual, by its path in it, is one of those that this module writes."""
    return name.partition("/")[0].removesuffix(".md") in NAMES


def content_reference() -> Iterator[tuple[str, str]]:
    """Yield the pages about the keys of all source files."""
    files = [source_file_keys(name) for name in FILES]
    rows = "\n".join(
        f"| [`{file.pattern}`](content-reference/{file.name}.md) | {file.description} |" for file in files
    )
    yield (
        "content-reference.md",
        (
            f"---\ntitle: Content files\norder: 610\n{REFERENCE}\ndescription: Every key of every source file, with its default and an example.\n---\n"
            f"| file | what it is |\n|---|---|\n{rows}\n\n"
            "An unknown key in a content file is an error. Write times in ISO 8601 with a UTC offset, such as\n"
            "`2026-11-02T10:00:00Z`. A text needs no quotes, even if YAML would read it as a number or a date.\n\n"
            "`statuary schema NAME` prints the keys of a content file as a JSON Schema. Your\n"
            "[editor](install.md#set-up-your-editor) can use this schema to complete keys.\n"
        ),
    )
    for number, file in enumerate(files, start=1):
        yield f"content-reference/{file.name}.md", "\n".join(_keys(file, number)) + "\n"


def _keys(file: SourceFileKeys, number: int) -> Iterator[str]:
    yield f"---\ntitle: {file.pattern}\norder: {number}\nsearch: low\ndescription: {_plain(file.description)}\n---\n"
    notes = {"KEY": "`KEY` is a name that you choose", "[]": "`[]` is an entry of a list"}
    used = [note for mark, note in notes.items() if any(mark in section.title for section in file.sections)]
    if used:
        yield f"In the names of keys, {', and '.join(used)}.\n"
    for section in file.sections:
        if section.title:
            yield f"## {section.title}\n"
            yield f"{section.description}\n"
        same = _section_with_same_keys(section, file)
        if same:
            yield same
            continue
        mappings = [key for key in section.keys if key.see]
        for key in mappings:
            required = " (required)" if key.required else ""
            yield f"- {key.see}{required}: {key.meaning}"
        if mappings:
            yield ""
        for key in section.keys:
            if key.see:
                continue
            yield f"{'###' if section.title else '##'} {key.path}\n"
            facts = ("Required." if key.required else "", key.default, _type_sentence(key.type))
            yield " ".join(filter(None, (key.meaning, *facts))) + "\n"
            if key.example:
                yield f"```yaml\n{key.example}\n```\n"


def _type_sentence(kind: str) -> str:
    """Return the sentence about what a key holds, such as `Type: date.`; empty if the example shows it."""
    if kind in ("Text", "`true` or `false`"):
        return ""
    before, is_choice, choices = kind.partition("ne of ")
    if is_choice:
        return (
            f"Values for each key: {choices}." if before.startswith("For each key") else f"Values: {choices}."
        )
    return f"Type: {kind[:1].lower()}{kind[1:]}."


def _section_with_same_keys(section: KeySection, file: SourceFileKeys) -> str:
    """Return a sentence that names an earlier section with all keys of this one, or an empty string."""
    keys = {key.path.rpartition(".")[2]: key.meaning for key in section.keys}
    for earlier in file.sections[: file.sections.index(section)]:
        more_keys = {key.path.rpartition(".")[2]: key.meaning for key in earlier.keys}
        if len(keys) > 5 and keys.items() <= more_keys.items():
            others = ", ".join(f"`{name}`" for name in more_keys if name not in keys)
            anchor = earlier.title.replace(".", "-").replace("[]", "").lower()
            return f"It has the same keys as [`{earlier.title}`](#{anchor}), except {others}.\n"
    return ""


COMMON_OPTIONS = {
    "--content": "| `--content DIRECTORY` | `content` | Use the content in this folder, which contains site.yaml (or site.json). |",
    "--now": "| `--now TIME` |  | Use this time as the current time, such as 2026-11-02T10:00:00Z. Default: the environment variable SOURCE_DATE_EPOCH if set, else the clock. |",
}
"""The rows of options that most commands have."""


OPTION_TABLE = "| option | default | what it does |\n|---|---|---|"

SHARED_BY = 8
"""A group's page has the options that at least so many of its commands share."""


def _shared_options(path: str, group: click.Group, context: click.Context) -> dict[str, str]:
    """Return the rows of options that many imports share; other groups have none."""
    if path != "statuary import":
        return {}
    children = [child for _, child in _subcommands(path, group, context)]
    rows = [row for child in children for row in _options(child, click.Context(child))]
    counts = Counter(rows)
    return {name: row for name, row in rows if counts[name, row] >= SHARED_BY and name not in COMMON_OPTIONS}


def _option_section(path: str, command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the part of a command's page about its options; links replace those that other commands share."""
    rows = dict(_options(command, context))
    group_path = path.rpartition(" ")[0]
    group = dict(_commands("statuary", main))[group_path]
    shared = (
        _shared_options(group_path, group, click.Context(group)) if isinstance(group, click.Group) else {}
    )
    other_pages = (
        (shared, f"[other imports]({_slug(group_path)}.md#shared-options)"),
        (COMMON_OPTIONS, "[most commands](../command-reference.md#common-options)"),
    )
    sentences = []
    for others, link in other_pages:
        names = [f"`{name}`" for name, row in rows.items() if others.get(name) == row]
        rows = {name: row for name, row in rows.items() if others.get(name) != row}
        if names:
            listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
            sentences.append(f"This command also has {listed}, as {link} do.\n")
    if rows or sentences:
        yield "## Options\n"
    if rows:
        yield f"{OPTION_TABLE}\n" + "\n".join(rows.values()) + "\n"
    yield from sentences


def command_reference() -> Iterator[tuple[str, str]]:
    """Yield the page with all commands, and a page for each."""
    commands = list(_commands("statuary", main))
    common_rows = "\n".join(COMMON_OPTIONS.values())
    tables = [
        f"## {title}\n\n| command | what it does |\n|---|---|\n"
        + "".join(
            f"| [`{path}`](command-reference/{_slug(path)}.md) | {_first_line(command)} |\n"
            for path, command in commands[1:]
            if path.split()[1] in names
        )
        for title, names in COMMAND_GROUPS.items()
    ]
    listed = "\n".join(tables)
    yield (
        "command-reference.md",
        (
            f"---\ntitle: Commands\norder: 600\n{REFERENCE}\ndescription: Every command, with its options, their defaults and what they do.\n---\n"
            "The page of each command lists its options. In the terminal, write `--help` after the command. `statuary --version`\n"
            f"prints the version.\n\n{listed}\n"
            "## Exit codes\n\nThe exit code of a command says what happened:\n\n- 0: done\n- 1: the content has errors\n- 2: wrong usage, such as an unknown option\n- 3: failed, and nothing was published\n- 4: published, except the parts with errors\n- 5: a build is due (`statuary tick`)\n- 6: built, but not published to `--to`\n- 130: interrupted\n\n"
            f"## Common options\n\nMost commands have these options:\n\n| option | default | what it does |\n|---|---|---|\n{common_rows}\n"
        ),
    )
    for number, (path, command) in enumerate(commands[1:], start=1):
        yield f"command-reference/{_slug(path)}.md", _command_page(path, command, number)


def _plain(markdown: str) -> str:
    """Return the description of a page, which has no Markdown, as JSON."""
    return json.dumps(markdown.replace("`", ""))


def _slug(path: str) -> str:
    return path.removeprefix("statuary ").replace(" ", "-")


def _first_line(command: click.Command) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split()).replace("|", "\\|")


def _command_page(path: str, command: click.Command, number: int) -> str:
    context = click.Context(command, info_name=path, help_option_names=["-h", "--help"])
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [
        f"---\ntitle: {path}\norder: {number}\nsearch: low\ndescription: {_plain(_first_line(command))}\n---\n",
        f"```text\n{path} {usage}\n```\n",
        *(f"{paragraph}\n" for paragraph in _paragraphs(command)[1:]),
    ]
    if isinstance(command, click.Group):
        links = [
            f"- [`{name}`]({_slug(name)}.md): {_first_line(child)}"
            for name, child in _subcommands(path, command, context)
        ]
        parts.append("## Commands\n\n" + "\n".join(links) + "\n")
        shared = _shared_options(path, command, context)
        if shared:
            parts.append(f"## Shared options\n\nMany of these commands have these options:\n\n{OPTION_TABLE}")
            parts.append("\n".join(shared.values()) + "\n")
    parts += _option_section(path, command, context)
    return "\n".join(parts)


def _paragraphs(command: click.Command) -> list[str]:
    """Return the paragraphs of a command's help; lines after a mark of click keep their breaks."""
    texts = cleandoc(command.help or "").replace("\f", "").split("\n\n")
    return [
        f"```text\n{text.replace(chr(8), '').strip(chr(10))}\n```"
        if "\b" in text
        else _exit_code_list(" ".join(text.split()))
        for text in texts
    ]


def _exit_code_list(paragraph: str) -> str:
    """Return a paragraph; one such as `Exit codes: 0 written; 1 failed.` becomes a list."""
    if not paragraph.startswith("Exit codes: "):
        return paragraph
    codes = paragraph.removeprefix("Exit codes: ").removesuffix(".").split("; ")
    return "Exit codes:\n\n" + "\n".join("- {}: {}".format(*code.split(" ", 1)) for code in codes)


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield each option of a command, and its row in the table."""
    for parameter in command.get_params(context):
        if not isinstance(parameter, click.Option) or parameter.hidden or "--help" in parameter.opts:
            continue
        record = parameter.get_help_record(context)
        names, text = record or ("", "")
        text, _, default = text.partition("  [default: ")
        shown = f"`{default.rstrip(']').partition(';')[0]}`" if default else "required" * parameter.required
        help_text = " ".join((parameter.help or text).split())
        row = (f"`{names}`", shown, help_text)
        yield parameter.opts[0], "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for child_path, child in _subcommands(path, command, context):
            yield from _commands(child_path, child)


def _subcommands(
    path: str, group: click.Group, context: click.Context
) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group that its help names."""
    for name in group.list_commands(context):
        child = group.get_command(context, name)
        if child is not None and not child.hidden:
            yield f"{path} {name}", child


def text_keys() -> Iterator[tuple[str, str]]:
    """Yield the page with the key of every text of pages."""
    texts = page_texts("en").by_key.items()
    groups: dict[str, list[str]] = {}
    for key, text in texts:
        shown = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
        groups.setdefault(key.partition(".")[0], []).append(f"| `{key}` | {shown} |")
    parts = [
        f"---\ntitle: Text keys\norder: 640\ngroup: Reference\nsearch: none\ndescription: The key and the English text of each of the {len(texts)} texts of pages.\n---\n",
        (
            "Look up a text of your pages here to change or translate it: write its key and your text into\n"
            "`theme/texts/<language>.yaml` in your content, as [Change the texts](components.md#change-the-texts) shows.\n\n"
            "Keep the words in braces: `{count}`, for example, becomes a number. A text with a number has two keys, `….one`\n"
            "for the singular and `….other` for the plural. Each section below says where readers see its texts.\n"
        ),
    ]
    for group, rows in groups.items():
        parts.append(
            f"## {group}\n\n{TEXT_GROUPS[group]}\n\n| key | English |\n|---|---|\n" + "\n".join(rows) + "\n"
        )
    return iter([("text-keys.md", "\n".join(parts))])


MESSAGE_SECTIONS = {
    "Content files": (
        "These rules are about all files of the content, and about the settings in `site.yaml`.",
        CONTENT,
    ),
    "Incidents, maintenance and components": (
        "These rules are about your status page. Some only warn you about a probable mistake.",
        STATUS,
    ),
    "Contracts": (
        (
            "These rules are about a contract's *record*, the JSON document that your site publishes about the contract.\n"
            "If a record breaks one of them, the build leaves it out, or warns you. In the record, *recompiled* bytecode comes\n"
            "from the compiler, and *on-chain* bytecode from the chain. Often a value was edited, or belongs to another\n"
            "version of the contract. Then [add or import the contract](contracts.md) again, with the files of the deployed version."
        ),
        CONTRACTS,
    ),
    "Descriptors for wallets": (
        (
            "A [descriptor](explorers.md#describe-calls-for-wallets) is a file that tells wallets how to show a call. The build\n"
            "leaves out a descriptor that breaks one of these rules, or warns you."
        ),
        DESCRIPTORS,
    ),
}
"""The sections of the page of messages: what each is about, and its rules."""


def messages() -> Iterator[tuple[str, str]]:
    """Yield the page with what each rule means and what to do."""
    unexplained = {rule.name for rule in all_rules()}.difference(
        *(rules for _, rules in MESSAGE_SECTIONS.values())
    )
    if unexplained:
        raise ValueError(f"message_rules.py says nothing about {', '.join(sorted(unexplained))}")
    parts = [
        f"---\ntitle: Messages\norder: 650\n{REFERENCE}\ndescription: What each message means and what to do, by the rule in its brackets.\n---\n",
        "Look up a message here if you don't know what to do about it. Each message ends with the name of its rule in\nbrackets, such as `invalid-value`:\n",
        "```text\ncontent/site.yaml:6:14: error: unknown time zone 'Europe/Zurch' [invalid-value]\n    6 |   time_zone: Europe/Zurch\n      |              ^\n    did you mean 'Europe/Zurich'?\n```\n",
        (
            "Search this manual for the name of the rule, or add it to the address of this page:\n`messages.html#invalid-value`.\n\n"
            "- After an **error**, the build leaves out only the component, incident, maintenance window, page, contract or\n  theme file that has the error. A key of `site.yaml` keeps [its last published\n  value](troubleshooting.md#an-error-in-the-settings).\n"
            "- After a **warning** or a **note**, the build publishes everything. With `--strict`, a warning counts as an error.\n\n"
            "`statuary check --list` prints the rules about contracts and the status, one in each line.\n"
        ),
    ]
    for title, (about, rules) in MESSAGE_SECTIONS.items():
        parts.append(f"## {title}\n\n{about}\n")
        parts += [f"### {name}\n\n{text}\n" for name, text in sorted(rules.items())]
    suggested = {rule.name for rule in all_rules() if rule.group in (PROOF, STATUS_RULES)}
    rows = "\n".join(
        f"| `{old}` | `{new}` |" for old, new in sorted(OLD_RULES.items()) if new not in suggested
    )
    parts.append(
        "## Old names of rules\n\nUp to version 0.2.0, most rules had other names. If an old message or script has such a name, run\n"
        "`statuary check --skip NAME`, which prints the new name. For these rules, it prints none:\n\n"
        f"| old name | new name |\n|---|---|\n{rows}\n"
    )
    return iter([("messages.md", "\n".join(parts))])


def references() -> dict[str, str]:
    """Return the generated pages by their path in the manual."""
    return {
        name: text
        for pages in (content_reference, command_reference, text_keys, messages)
        for name, text in pages()
    }


def write(folder: Path) -> None:
    """Write the generated pages, and remove those that are generated no longer."""
    pages = references()
    for place in ("content-reference", "command-reference"):
        for file in (folder / place).glob("*.md"):
            if f"{place}/{file.name}" not in pages:
                file.unlink()
    for name, text in pages.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else MANUAL)
