"""Draw the floors of the package from its code, for src/ARCHITECTURE.md.

usage: python tests/architecture/picture.py          prints the picture
       python tests/architecture/picture.py --write  writes it into src/ARCHITECTURE.md
"""

import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from architecture.code import SRC, modules

PAGE = SRC / "ARCHITECTURE.md"
BLOCK = re.compile(r"(?<=<!-- picture -->\n)```text\n.*?```\n", re.DOTALL)
ROUNDED = 500
"""Lines are rounded to this number; the test compares the floors, so that an edit does not make the picture wrong."""


def floors() -> list[list[str]]:
    """Return the packages of each floor from the top, as pyproject.toml orders them for import-linter."""
    contracts = tomllib.loads((SRC.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["containers"] == ["statuary"])
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def extension_floors() -> list[list[str]]:
    """Return the extensions in rows, those that stand on others first."""
    contracts = tomllib.loads((SRC.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(
        contract["layers"] for contract in contracts if contract.get("containers") == ["statuary.extensions"]
    )
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def lines_by_package(depth: int) -> Counter[str]:
    """Return the lines of each package, by the dotted name of so many parts below `statuary`."""
    lines: Counter[str] = Counter()
    for name, module in modules().items():
        lines[".".join(name.split(".")[1 : depth + 1])] += module.text.count("\n")
    return lines


def _size(lines: int) -> str:
    rounded = max(ROUNDED, round(lines / ROUNDED) * ROUNDED) if lines >= ROUNDED / 2 else 0
    return f" {rounded:,}" if rounded else ""


def _row(names: list[str], lines: Counter[str], prefix: str = "") -> str:
    return "".join(f"[ {name}{_size(lines[prefix + name])} ]" for name in names)


def picture() -> str:
    """Return the picture: a row a floor, each package with its lines of Python."""
    top, below = lines_by_package(1), lines_by_package(2)
    rows = []
    for floor in floors():
        if floor == ["extensions"]:
            rows += [f"  {_row(names, below, 'extensions.')}" for names in extension_floors()]
            rows.append(
                "  - - - - - - - - - - the core imports nothing from above this line - - - - - - - - - -"
            )
        else:
            rows.append(f"  {_row(floor, top)}")
    return "```text\n" + "\n".join(rows) + "\n```\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(BLOCK.sub(lambda _: picture(), PAGE.read_text("utf-8")), "utf-8")
    print(picture())
