"""Vyper's integrity hash (0.4.1 on), recomputed from the sources of a record.

The hash of a module is the SHA-256 of its own SHA-256 and those of its imports, in order, as hex text; an
interface or an ABI counts with the hash of its text (Vyper's `semantics/analysis/imports.py`). Storage layout
overrides are hashed first (`compiler/phases.py`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice, permutations, product
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from statuary.domain.contracts.compiler import CompilerVersion, parse_compiler_version
from statuary.domain.json_values import Json, as_object
from statuary.domain.limits import MAX_IMPORT_DEPTH, MAX_IMPORTED_MODULES, MAX_PERMUTED_VARIABLES
from statuary.domain.primitives import InvalidValueError
from statuary.domain.work import spend

_SINCE_0_4_2: Final = {
    "ethereum.ercs.IERC165": "acad3686e02fedd704331956fe4281433d2f7e4bba758270c308ea02d19ce3b8",
    "ethereum.ercs.IERC20": "4b175cac05c3e50785083c1020c5cd371a9d5b967f7c7c8e921fabc890497482",
    "ethereum.ercs.IERC20Detailed": "bf5b580e012d8cfbd5b17772c03027255ab35263ff12861a97005f278e4921cb",
    "ethereum.ercs.IERC4626": "a37e6a70b0f58a90446716953333887518a3aaadf2e169882a013437f368f765",
    "ethereum.ercs.IERC721": "4b71ee558ec148a8e0955da1df21a2546760f5ffebe64bbffffc8678095d56dc",
    "math": "c980d40d5663a78ddc54c9353213db230784cf080992905c3f4bd0082f44467a",
}
BUILTIN_MODULES: Final[Mapping[tuple[int, int, int], Mapping[str, str]]] = {
    (0, 4, 1): {
        "ethereum.ercs.IERC165": "b3fc0c3e5af5fea759b30941f25037cfcf58b6a93627f64d2ba9a04deeef7924",
        "ethereum.ercs.IERC20": "5f03c7c5c58865780542ffc11600eb38c7cc05524eca3f3c8eca5498ce0ec5c4",
        "ethereum.ercs.IERC20Detailed": "114e62360519d6f8563e017c5ca9e2549c27cca40b9842dc2c7cef37905f3968",
        "ethereum.ercs.IERC4626": "fc5cd30a525316de963a594f068ce400698aae1683904c5e291723a28da100b5",
        "ethereum.ercs.IERC721": "0b328eb6d1ddc6eb4206f5f86cd2e28b3c52a88c4a8974442ee39a0ada9ca432",
    },
    (0, 4, 2): _SINCE_0_4_2,
    (0, 4, 3): _SINCE_0_4_2,
}
"""SHA-256 of the modules that Vyper includes, by release and name (from its wheels)."""

_PREFIXES: Final = ("ethereum.ercs", "math")
_IMPORT = re.compile(
    r"(?:from[ \t]+(?P<origin>[.\w]+)[ \t]+)?import[ \t]+(?P<name>[.\w]+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:#.*)?$"
)
_TEXTS = re.compile(
    r"""(?s)(?P<long>"{3}.*?(?:"{3}|\Z)|\'{3}.*?(?:\'{3}|\Z))|#[^\n]*"""
    r"""|"(?:\\[^\n]|[^"\\\n])*"?|\'(?:\\[^\n]|[^\'\\\n])*\'?"""
)
"""Docstrings, comments and strings; an unclosed one ends with its line or the file, so each byte is read once."""

_SUFFIXES = (".vy", ".vyi", ".json")
_SLOT_MEMBERS = ("type", "slot", "n_slots")


class UnknownModuleError(InvalidValueError):
    """An import of a module that is built into that release of Vyper and unknown here."""

    def __init__(self, module: str, version: str) -> None:
        super().__init__(f"the text of {module!r} in Vyper {version} is not known here")
        self.module = module


class VyperProgram(NamedTuple):
    """The input of an integrity hash."""

    main: str  # the path of the compiled module
    sources: Mapping[str, str]  # texts by path
    version: str
    overrides: Json = None  # `storage_layout_overrides` of the input, or None


def integrity_hashes(program: VyperProgram) -> Iterator[str]:
    """Yield the possible integrity hashes of a program, as hex text; several only with overrides.

    Overrides are hashed as JSON text in their original order, which records do not keep.

    Raises:
        UnknownModuleError: if a module is built into the compiler and unknown here.
        InvalidValueError: if a module imports something that is not among the sources.
    """
    modules = _module_hash(program, program.main, (), known={})
    if program.overrides is None:
        yield modules
        return
    for text in _override_texts(program.overrides, program.main):
        yield _hash(_hash(text) + modules)


def imported_paths(sources: Mapping[str, str], main: str) -> frozenset[str]:
    """Return the paths of a module and of the sources that it imports, directly or not.

    Raises:
        InvalidValueError: if an import cannot be parsed.
    """
    program, reached, open_paths = VyperProgram(main, sources, ""), set[str](), [main]
    while open_paths:
        path = open_paths.pop()
        if path in reached or path not in sources:
            continue
        reached.add(path)
        if path.endswith(".vy"):
            open_paths += [
                candidates[0]
                for level, name in imports_of(sources[path])
                if (candidates := _candidates(program, path, level, name))
            ]
    return frozenset(reached)


def imports_of(text: str) -> list[tuple[int, str]]:
    """Return the imports of a module, in order: the number of leading dots, and the dotted name."""
    imports = []
    for line in _code_lines(text):
        statement = _IMPORT.match(line)
        if statement is None:
            if re.match(r"(?:from|import)\b", line):
                raise InvalidValueError(f"the import {line[:80]!r} cannot be read")
            continue
        origin, name = statement["origin"] or "", statement["name"]
        level = len(origin) - len(origin.lstrip("."))
        dotted = origin[level:]
        imports.append((level, f"{dotted}.{name}" if dotted else name))
    return imports


def _code_lines(text: str) -> Iterator[str]:
    """Yield the lines of a module without docstrings; imports start at the beginning of a line."""
    joined = _TEXTS.sub(lambda match: "''" if match["long"] else match[0], text)
    for line in joined.replace("\\\n", " ").split("\n"):
        yield from (part.strip() if place else part.rstrip() for place, part in enumerate(_statements(line)))


def _statements(line: str) -> list[str]:
    return line.split(";") if line.startswith(("from", "import")) else [line]


def _module_hash(program: VyperProgram, path: str, importing: tuple[str, ...], known: dict[str, str]) -> str:
    """Return the hash of a module; `known` has those that were computed, for paths double where modules share imports."""
    if path in known:
        return known[path]
    if path in importing or len(importing) > MAX_IMPORT_DEPTH:
        raise InvalidValueError(f"{path!r} imports itself, or modules are nested too deep")
    text = program.sources.get(path)
    if text is None:
        raise InvalidValueError(f"{path!r} is not among the sources")
    statements = imports_of(text)
    if len(statements) > MAX_IMPORTED_MODULES:
        raise InvalidValueError(f"{path!r} imports {len(statements)} modules")
    parts = [_hash(text)]
    parts += [
        _imported_hash(program, path, level, name, (*importing, path), known=known)
        for level, name in statements
    ]
    known[path] = _hash("".join(parts))
    return known[path]


def _imported_hash(
    program: VyperProgram,
    path: str,
    level: int,
    name: str,
    importing: tuple[str, ...],
    *,
    known: dict[str, str],
) -> str:
    if not level and name.startswith(_PREFIXES) and not _candidates(program, path, level, name):
        return _builtin_hash(program.version, name)
    candidates = _candidates(program, path, level, name)
    if not candidates:
        raise InvalidValueError(f"{path!r} imports {name!r}, which is not among the sources")
    if candidates[0].endswith(".vy"):
        return _module_hash(program, candidates[0], importing, known=known)
    return _hash(program.sources[candidates[0]])


def _builtin_hash(version: str, name: str) -> str:
    number = parse_compiler_version(version)
    modules = BUILTIN_MODULES.get((number.major, number.minor, number.patch))
    if modules is None:
        raise UnknownModuleError(name, version)
    if name not in modules:
        raise InvalidValueError(f"Vyper {version} has no module {name!r}")
    # a module contributes the hash of its one hash, an interface the hash of its text
    return _hash(modules[name]) if name == "math" else modules[name]


def _candidates(program: VyperProgram, path: str, level: int, name: str) -> list[str]:
    """Return the sources that an import may mean, Vyper modules first."""
    folder = PurePosixPath(path).parent
    for _ in range(level - 1):
        folder = folder.parent
    tail = name.replace(".", "/")
    places = [folder / tail] if level else [folder / tail, PurePosixPath(tail)]
    names = [f"{place}{suffix}" for suffix in _SUFFIXES for place in places]
    candidates = [candidate for candidate in names if candidate in program.sources]
    # records do not have the input's search paths: a path with this ending was found on one of them
    return candidates if candidates or level else _ending(program.sources, tail)


def _ending(sources: Mapping[str, str], tail: str) -> list[str]:
    spend(len(sources) * len(_SUFFIXES))
    return [path for suffix in _SUFFIXES for path in sources if path.endswith(f"/{tail}{suffix}")]


def _override_texts(overrides: Json, path: str) -> Iterator[str]:
    """Yield the JSON texts of a module's overrides, in every possible order of members."""
    layout = as_object(as_object(overrides).get(path))
    layouts = (
        [layout, *islice(layout.values(), 1)] if layout else []
    )  # from 0.4.2 on they are one level deeper
    for places in map(_places, layouts):
        if places is not None:
            for names, members in product(_orders(places), permutations(_SLOT_MEMBERS)):
                yield json.dumps({name: _reordered(places[name], members) for name in names})


def _places(layout: Json) -> dict[str, Mapping[str, Json]] | None:
    """Return the places of variables by name; None if it is no layout."""
    if not isinstance(layout, Mapping):
        return None
    places = {name: place for name, place in layout.items() if isinstance(place, Mapping)}
    return places if len(places) == len(layout) else None


def _orders(layout: Mapping[str, Mapping[str, Json]]) -> Iterator[tuple[str, ...]]:
    if len(layout) <= MAX_PERMUTED_VARIABLES:
        yield from permutations(layout)
        return
    yield tuple(layout)
    yield tuple(sorted(layout))
    yield tuple(sorted(layout, key=lambda name: (str(layout[name].get("slot")).zfill(80), name)))


def _reordered(place: Mapping[str, Json], members: tuple[str, ...]) -> dict[str, Json]:
    ordered = {member: place[member] for member in members if member in place}
    return ordered | {member: value for member, value in place.items() if member not in ordered}


def has_integrity_hash(version: str) -> bool:
    """Return whether a release of Vyper writes integrity hashes."""
    return parse_compiler_version(version) >= CompilerVersion(0, 4, 1)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
