"""Print the figures of the code: sizes, complexity, exceptions to the rules, names.

usage: python tests/architecture/figures.py [SRC]
"""

import ast
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from radon.complexity import cc_visit

from architecture.code import SRC, Module, body_lines, functions, imports, modules, public_classes, rings

VAGUE_NAMES = {"one", "found", "held", "made", "given", "kept", "shown", "known", "taken"}
"""Names that say what happened to a value, or nothing, where a noun says what it is."""


def complex_functions(text: str) -> int:
    """Count the functions and methods above a complexity of 10."""
    return sum(block.letter in "FM" and block.complexity > 10 for block in cc_visit(text))


def files_of_half(sizes: list[int]) -> int:
    """Return how many of the largest files hold half of the lines."""
    largest = sorted(sizes, reverse=True)
    return next(count for count in range(1, len(largest) + 1) if 2 * sum(largest[:count]) >= sum(largest))


def reachable(known: dict[str, Module], start: str) -> set[str]:
    """Return the modules that a module can reach by imports, deferred and typing-only ones included.

    The package itself is left out: it imports its public names when a program first uses one.
    """
    reached: set[str] = set()
    waiting = [start] if start in known else []
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            packages = (name.rsplit(".", count)[0] for count in range(1, name.count(".")))
            waiting += [*imports(known[name], known), *(package for package in packages if package in known)]
    return reached


def is_extension(name: str) -> bool:
    """Whether a module belongs to an extension."""
    return name.startswith("statuary.extensions.")


def is_core(name: str) -> bool:
    """Whether a module belongs to the core; the public interface stands above the extensions."""
    return not is_extension(name) and name not in ("statuary", "statuary.api")


def figures_of(known: dict[str, Module]) -> dict[str, float]:
    """Return every figure by its name."""
    lines = {name: module.text.count("\n") for name, module in known.items()}
    every = [function for module in known.values() for function in functions(module)]
    lengths = sorted(map(body_lines, every))
    nodes = [node for module in known.values() for node in ast.walk(module.tree)]
    start = "statuary.pipeline.build" if "statuary.pipeline.build" in known else "statuary.build.build"
    return {
        "lines": sum(lines.values()),
        "files": len(known),
        "files that hold half of the lines": files_of_half(list(lines.values())),
        "longest file": max(lines.values()),
        "lines of the core": sum(size for name, size in lines.items() if is_core(name)),
        "lines that pipeline/build.py can reach": sum(lines[name] for name in reachable(known, start)),
        "arrows from the core to extensions": sum(
            is_extension(other) and is_core(name)
            for name, module in known.items()
            for other in imports(module, known)
        ),
        "functions": len(every),
        "function length, median": statistics.median(lengths),
        "function length, 90th percentile": lengths[int(len(lengths) * 0.9)],
        "functions above complexity 10": sum(complex_functions(module.text) for module in known.values()),
        "import rings": len(rings(known)),
        "noqa": sum(module.text.count("# noqa") for module in known.values()),
        "Any": sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes),
        "imports inside functions": sum(
            isinstance(node, ast.Import | ast.ImportFrom) for function in every for node in ast.walk(function)
        ),
        "class names that occur twice": sum(len(where) > 1 for where in public_classes(known).values()),
        "values named by a participle": sum(
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE_NAMES
            for node in nodes
        ),
    }


def main(src: Path) -> None:
    """Print a line for each figure."""
    for name, value in figures_of(modules(src)).items():
        print(f"{name:40} {value:>8}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SRC)
