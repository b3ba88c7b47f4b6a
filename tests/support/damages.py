"""Ways to damage a published site: its files, and its databases."""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path


def _other_byte(file: Path) -> None:
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 1
    file.write_bytes(body)


def _same_size_and_time(file: Path) -> None:
    status = file.stat()
    _other_byte(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def _as_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _as_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/nothing/there")


def _swapped(file: Path) -> None:
    site = next(folder for folder in file.parents if (folder / ".statuary").is_dir())
    other = next(one for one in sorted(site.rglob("*.json")) if one != file)
    body = other.read_bytes()
    file.unlink()
    file.write_bytes(body)


WAYS: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": lambda file: os.truncate(file, 0),
    "half": lambda file: os.truncate(file, file.stat().st_size // 2),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "one byte": _other_byte,
    "one byte, time kept": _same_size_and_time,
    "another file's body": _swapped,
    "a link to nothing": _as_link,
}
FAMILIES = (
    r"v2/contract/\d+/0x",
    r"proof/\d+/0x",
    r"v2/contract/all-chains/",
    r"v2/contracts/",
    r"api/v2/[a-z-]+\.json",
    r"(index|404)\.html",
)
DAMAGES = [(name, family, way) for family in FAMILIES for name, way in WAYS.items()]
"""Every way of every family of documents."""


def damaged_ledger(folder: Path, dice: random.Random) -> str:
    """Damage the databases of a site in a random way, and return which."""
    ledger = folder / "ledger.sqlite3"
    kind = dice.choice(list(LEDGER_WAYS))
    file = ledger if dice.random() < 0.75 else dice.choice(sorted(folder.glob("*.sqlite3")))
    LEDGER_WAYS[kind](file, dice)
    return kind


def _cut(file: Path, dice: random.Random) -> None:
    os.truncate(file, dice.randrange(file.stat().st_size))


def _overwritten(file: Path, dice: random.Random) -> None:
    body = bytearray(file.read_bytes())
    start = dice.randrange(len(body))
    piece = dice.choice((bytes, dice.randbytes))(dice.randrange(1, 8192))
    body[start : start + len(piece)] = piece[: len(body) - start]
    file.write_bytes(body)


def _flipped(file: Path, dice: random.Random) -> None:
    body = bytearray(file.read_bytes())
    for _ in range(dice.randrange(1, 200)):
        body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    file.write_bytes(body)


def _pages_swapped(file: Path, dice: random.Random) -> None:
    pages = [file.read_bytes()[start : start + 4096] for start in range(0, file.stat().st_size, 4096)]
    dice.shuffle(pages)
    file.write_bytes(b"".join(pages))


def _replaced(file: Path, dice: random.Random) -> None:
    file.write_bytes(dice.choice((b"", b"x", b"no database" * 1000, b"SQLite format 3\0" + bytes(5000))))


def _folder(file: Path, _: random.Random) -> None:
    file.unlink()
    (file / "inside").mkdir(parents=True)


def _gone(file: Path, _: random.Random) -> None:
    file.unlink()


def _without_table(file: Path, dice: random.Random) -> None:
    with closing(sqlite3.connect(file)) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        connection.execute(f"DROP TABLE {dice.choice(tables)}")
        connection.commit()


def _from_another_site(file: Path, dice: random.Random) -> None:
    shutil.copy(dice.choice(sorted(file.parent.glob("*.sqlite3"))), file.with_suffix(".copy"))
    file.with_suffix(".copy").replace(file)


LEDGER_WAYS: dict[str, Callable[[Path, random.Random], None]] = {
    "cut": _cut,
    "overwritten": _overwritten,
    "bits": _flipped,
    "pages in another order": _pages_swapped,
    "other bytes": _replaced,
    "a folder": _folder,
    "gone": _gone,
    "a table less": _without_table,
    "another database": _from_another_site,
}
