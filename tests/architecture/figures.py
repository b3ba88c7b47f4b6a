"""Print the figures of the code: sizes, complexity, exceptions to the rules, names.

usage: python tests/architecture/figures.py [SRC]
"""

import ast
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from radon.complexity import cc_visit

from architecture.code import SRC, body_lines, functions, modules, public_classes, rings


def complex_functions(text: str) -> int:
    """Count the functions and methods above a complexity of 10."""
    return sum(block.letter in "FM" and block.complexity > 10 for block in cc_visit(text))


def main(src: Path) -> None:
    """Print a line for each figure."""
    known = modules(src)
    every = [function for module in known.values() for function in functions(module)]
    lengths = sorted(map(body_lines, every))
    figures = {
        "lines": sum(module.text.count("\n") for module in known.values()),
        "files": len(known),
        "functions": len(every),
        "function length, median": statistics.median(lengths),
        "function length, 90th percentile": lengths[int(len(lengths) * 0.9)],
        "functions above complexity 10": sum(complex_functions(module.text) for module in known.values()),
        "files above 300 lines": sum(module.text.count("\n") > 300 for module in known.values()),
        "import rings": len(rings(known)),
        "noqa": sum(module.text.count("# noqa") for module in known.values()),
        "Any": sum(
            isinstance(node, ast.Name) and node.id == "Any"
            for module in known.values()
            for node in ast.walk(module.tree)
        ),
        "imports inside functions": sum(
            isinstance(node, ast.Import | ast.ImportFrom) for function in every for node in ast.walk(function)
        ),
        "class names that occur twice": sum(len(where) > 1 for where in public_classes(known).values()),
    }
    for name, value in figures.items():
        print(f"{name:34} {value:>8}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SRC)
