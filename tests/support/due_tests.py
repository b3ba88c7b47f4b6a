"""Which files of tests are due for a change: those that reach what changed by their imports, the nearest first.

A file of tests reaches what it imports, what that imports, and so on, deferred imports and those by a string such as
"statuary.pack:name" included; and the package whose folder its own folder mirrors. The table of extensions names all
of them for whoever asks, so its strings do not count: a test of one extension is not about the others.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).parents[2]
BY_STRING = re.compile(r"statuary(?:\.\w+)+(?::\w+)?")
NAMES_EVERYTHING = ("registry.py",)
"""Modules whose strings are a table of all extensions."""

REACHES_EVERYTHING = (
    "pyproject.toml",
    ".ci/requirements.txt",
    "tests/conftest.py",
    "src/statuary/__init__.py",
)
"""Files that every test depends on."""

MARKED = re.compile(r"\bmark\.(slow|thorough)\b")
"""What a file has of whose tests some are outside of the default tier."""

WHOLE_FILE = re.compile(r"^pytestmark = \[?pytest\.mark\.(slow|thorough)\b", re.MULTILINE)
"""The line that keeps a whole file of tests out of the default tier."""

TIERS = ("slow", "thorough")
"""The markers; a test with neither is of the default tier."""

DURATIONS = "tests/durations.json"
"""Seconds of each file of tests by tier, "" for the default, as `pytest --record-durations` writes them."""


class Base(NamedTuple):
    """The commit that a change is compared with.

    Attributes:
        commit: its hash; empty if there is none, so that everything is new.
        why: what it is, for people.
    """

    commit: str
    why: str


def base_of_change(root: Path, target: str = "", commits: int = 0) -> Base:
    """Return what the commit of a clone is compared with.

    It is where the branch left its target; on the target itself the last tag before; without one, an earlier commit.

    Args:
        root: the clone.
        target: the branch that a pull request is for; without one, the main branch of the remote, or the own one.
        commits: how many commits before the last one that earlier one is; 0 for none.
    """
    head = _git(root, "rev-parse", "HEAD")
    names = [f"origin/{target}", target] if target else ["origin/HEAD", "origin/main", "main"]
    for name in names:
        fork = _git(root, "merge-base", "HEAD", name)
        if fork and fork != head:
            return Base(fork, f"where this branch left {name}")
        if fork:
            break
    tag = _git(root, "describe", "--tags", "--abbrev=0", "HEAD^")
    if tag:
        return Base(_git(root, "rev-parse", f"{tag}^{{commit}}"), f"the tag {tag}")
    earlier = _git(root, "rev-parse", "--verify", "--quiet", f"HEAD~{commits}") if commits else ""
    if earlier:
        return Base(earlier, f"the commit {commits} before the last one, as there is no tag")
    return Base("", "nothing: there is no tag before it, so everything is new")


def changed_since(root: Path, commit: str) -> list[str]:
    """Return the paths that differ between a commit and the work tree; every path if no commit is given."""
    if not commit:
        return _git(root, "ls-files").splitlines()
    return _git(root, "diff", "--name-only", "--no-renames", commit).splitlines()


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def due_tests(root: Path, changed: Iterable[str]) -> dict[str, int]:
    """Return the files with slow or thorough tests that are due, each with its distance from what changed: 0 is itself.

    Paths are relative to the clone.
    """
    paths = set(changed)
    graph = {path: frozenset(reached) for path, reached in import_graph(root).items()}
    tests = [
        path
        for path in graph
        if Path(path).name.startswith("test_") and MARKED.search((root / path).read_text("utf-8"))
    ]
    if paths & set(REACHES_EVERYTHING):
        return dict.fromkeys(sorted(tests), 0)
    nodes = {*graph, *(node for reached in graph.values() for node in reached)}
    touched = {_node_of(path, nodes) for path in paths}
    distances = {test: _distance(test, graph, touched) for test in sorted(tests)}
    return {test: distance for test, distance in distances.items() if distance is not None}


def _distance(start: str, graph: Mapping[str, frozenset[str]], touched: set[str]) -> int | None:
    seen, front, distance = {start}, {start}, 0
    while front:
        if front & touched:
            return distance
        front = {other for path in front for other in graph.get(path, ())} - seen
        seen |= front
        distance += 1
    return None


def _node_of(path: str, nodes: set[str]) -> str:
    """Return what stands for a path in the graph: itself, or the package or the folder of tests in which it lies."""
    folders = [folder.as_posix() for folder in Path(path).parents]
    known = [node for folder in folders for node in (f"{folder}/__init__.py", folder) if node in nodes]
    return path if path in nodes or not known else known[0]


def import_graph(root: Path) -> dict[str, set[str]]:
    """Return the files of Python and the folders of tests, each with those that it reaches directly."""
    source, tests = _modules(root / "src"), _modules(root / "tests")
    by_name = {**source, **tests}
    graph: dict[str, set[str]] = {}
    for name, file in by_name.items():
        path = file.relative_to(root).as_posix()
        reached = {by_name[other] for other in _imports(file, by_name)}
        reached |= {by_name[package] for package in _packages(name) if package in by_name}
        graph[path] = {one.relative_to(root).as_posix() for one in reached} - {path}
        if name in tests:
            graph[path] |= {file.parent.relative_to(root).as_posix()} | _mirrored(root, file.parent, source)
    return graph


def _mirrored(root: Path, folder: Path, source: Mapping[str, Path]) -> set[str]:
    """Return the modules of the package that a folder of tests mirrors."""
    parts = folder.relative_to(root / "tests").parts
    package = root / "src" / "statuary" / Path(*parts)
    inside = parts and package.is_dir()
    return {
        file.relative_to(root).as_posix() for file in source.values() if inside and package in file.parents
    }


def _modules(folder: Path) -> dict[str, Path]:
    """Return the files of Python in a folder by their dotted names."""
    files = sorted(file for file in folder.rglob("*.py") if "node_modules" not in file.parts)
    return {
        ".".join(file.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): file
        for file in files
    }


def _packages(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(2, len(parts))]


def _imports(file: Path, known: Mapping[str, Path]) -> set[str]:
    """Return the modules that a file imports: at its top, inside functions, for types alone, and by string."""
    by_string = file.name not in NAMES_EVERYTHING
    found = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= below & known.keys() or {node.module}
        elif by_string and isinstance(node, ast.Constant) and BY_STRING.fullmatch(str(node.value)):
            found.add(str(node.value).partition(":")[0])
    return found & known.keys()


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def nearest_first(due: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Order files of tests: the nearest to the change first, of equally near ones the quickest.

    Args:
        due: files of tests, with their distance from the change.
        seconds: how long each takes.
    """
    return sorted(due, key=lambda path: (due[path], seconds[path], path))


def shares(paths: Sequence[str], seconds: Mapping[str, float], count: int) -> list[list[str]]:
    """Divide files of tests into shares that take about equally long: each in its order."""
    parts: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for path in sorted(paths, key=lambda path: (-seconds[path], path)):
        smallest = sums.index(min(sums))
        parts[smallest].append(path)
        sums[smallest] += seconds[path]
    order = {path: number for number, path in enumerate(paths)}
    return [sorted(part, key=order.__getitem__) for part in parts]


def recorded_durations(root: Path) -> dict[str, dict[str, float]]:
    """Return the seconds of each file of tests by tier, as they were recorded."""
    file = root / DURATIONS
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


def expected_seconds(root: Path, tiers: Iterable[str]) -> dict[str, float]:
    """Return how long the tests of some tiers take in each file that has any.

    Where a tier of a file was not recorded, it takes as long as that tier does in other files on average.
    """
    recorded = recorded_durations(root)
    seconds: dict[str, float] = {}
    for tier in tiers:
        known = {path: by_tier[tier] for path, by_tier in recorded.items() if tier in by_tier}
        usual = sum(known.values()) / len(known) if known else 1.0
        for path in files_with_tests(root, [tier]):
            seconds[path] = seconds.get(path, 0.0) + known.get(path, usual)
    return seconds


EVERY = {"default": ("",), "marked": TIERS, "all": ("", *TIERS)}
"""Tiers by what they are called on the command line."""


def files_with_tests(root: Path, tiers: Iterable[str]) -> list[str]:
    """Return the files that have tests of one of some tiers."""
    files = sorted((root / "tests").rglob("test_*.py"))
    texts = {file.relative_to(root).as_posix(): file.read_text("utf-8") for file in files}
    wanted = set(tiers)
    return [path for path, text in texts.items() if wanted & tiers_of(text)]


def tiers_of(text: str) -> set[str]:
    """Return the tiers that the tests of a file have."""
    return {*MARKED.findall(text)} | (set() if WHOLE_FILE.search(text) else {""})


def main(arguments: Sequence[str]) -> None:
    """Print the files whose slow and thorough tests are due, or with --every those that have tests of a tier.

    On standard error it says what a change is compared with.
    """
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--every", choices=EVERY, help="all files with tests of these tiers, due or not")
    parser.add_argument("--target", default="", help="the branch that a pull request is for")
    about = "without a branch or a tag to compare with, compare with the commit so many before the last one"
    parser.add_argument("--commits", type=int, default=0, help=about)
    parser.add_argument(
        "--share", default="1/1", help="such as 2/4: the second of four that take equally long"
    )
    options = parser.parse_args(arguments)
    seconds = expected_seconds(CHECKOUT, EVERY[options.every or "marked"])
    if options.every:
        due = dict.fromkeys(seconds, 0)
    else:
        base = base_of_change(CHECKOUT, options.target, options.commits)
        due = due_tests(CHECKOUT, changed_since(CHECKOUT, base.commit))
        print(f"{len(due)} files are due, compared with {base.why}", file=sys.stderr)
    files = nearest_first(due, seconds)
    part, count = map(int, options.share.split("/"))
    print("\n".join(shares(files, seconds, count)[part - 1]))


if __name__ == "__main__":
    main(sys.argv[1:])
