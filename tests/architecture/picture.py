"""Draw the floors of the package from pyproject.toml, for src/ARCHITECTURE.md.

usage: python tests/architecture/picture.py          prints the picture
       python tests/architecture/picture.py --write  writes it into src/ARCHITECTURE.md
"""

import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from architecture.code import SRC

PAGE = SRC / "ARCHITECTURE.md"
BLOCK = re.compile(r"(?<=<!-- picture -->\n)```text\n.*?```\n", re.DOTALL)


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


def _row(names: list[str]) -> str:
    return "".join(f"[ {name} ]" for name in names)


def picture() -> str:
    """Return the picture: a row a floor."""
    rows = []
    for floor in floors():
        if floor == ["extensions"]:
            rows += [f"  {_row(names)}" for names in extension_floors()]
            rows.append(
                "  - - - - - - - - - - the core imports nothing from above this line - - - - - - - - - -"
            )
        else:
            rows.append(f"  {_row(floor)}")
    return "```text\n" + "\n".join(rows) + "\n```\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(BLOCK.sub(lambda _: picture(), PAGE.read_text("utf-8")), "utf-8")
    print(picture())
