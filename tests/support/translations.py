"""Which English text each translation was made from, so that none stays behind it.

python tests/support/translations.py            writes tests/site/pages/translations.tsv again
python tests/support/translations.py KEY ...    also accepts that the translations of these keys are still right

A line has a key, and a digest of its text in each language; a hyphen stands for a language without it, which shows English. If an English text
changes and a translation does not, the line stays, and the command names both.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from statuary.site import settings

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "src/statuary"
RECORDED = CHECKOUT / "tests/site/pages/translations.tsv"

LANGUAGES = ("en", *(language for language in settings.LANGUAGES if language != "en"))
"""English first: the others are translated from it."""

NONE = "-"

Digests = Mapping[str, tuple[str, ...]]
"""The digests of each key's texts, in the order of the languages."""


def current_digests() -> dict[str, tuple[str, ...]]:
    """Return the digests of all texts in the package."""
    texts: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
    for file in PACKAGE.rglob("texts/*.json"):
        texts[file.stem] |= dict(_flat(orjson.loads(file.read_bytes()), ""))
    keys = sorted(set().union(*texts.values()))
    return {key: tuple(_digest(texts[language].get(key)) for language in LANGUAGES) for key in keys}


def recorded_digests() -> dict[str, tuple[str, ...]]:
    """Return the digests that were recorded."""
    lines = (line.split("\t") for line in RECORDED.read_text("ascii").splitlines())
    return {key: tuple(digests) for key, *digests in lines}


def stale_translations(recorded: Digests, current: Digests) -> Iterator[str]:
    """Yield what stayed behind an English text that changed: the key, and the languages."""
    for key, (english, *others) in current.items():
        former_english, *former_others = recorded.get(key, (english, *others))
        if former_english not in (english, NONE):
            kept = [
                language
                for language, digest, former in zip(LANGUAGES[1:], others, former_others, strict=True)
                if digest == former != NONE
            ]
            if kept:
                yield f"{key}: {', '.join(kept)}"


def main(accepted: Collection[str]) -> int:
    """Record the present texts, except those whose translations are stale."""
    recorded = recorded_digests() if RECORDED.is_file() else {}
    current = current_digests()
    stale = [line for line in stale_translations(recorded, current) if line.partition(":")[0] not in accepted]
    for line in stale:
        key = line.partition(":")[0]
        current[key] = recorded[key]
    RECORDED.write_text("".join("\t".join((key, *current[key])) + "\n" for key in sorted(current)), "ascii")
    if stale:
        print(
            "The English of these texts changed, and the translations in these languages did not:",
            *stale,
            sep="\n    ",
        )
        print(
            "Translate them again, remove them (pages then show English), or name the keys that are still right:"
        )
        print("    python tests/support/translations.py", *(line.partition(":")[0] for line in stale))
    return 1 if stale else 0


def _flat(table: dict[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        yield from _flat(value, f"{name}.") if isinstance(value, dict) else [(name, value)]


def _digest(text: str | None) -> str:
    return NONE if text is None else sha256(text.encode()).hexdigest()[:8]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
