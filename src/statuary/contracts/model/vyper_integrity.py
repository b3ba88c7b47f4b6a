"""Vyper's integrity hash (0.4.1 on), recomputed from the sources of a record.

The hash of a module is the SHA-256 of its own SHA-256 and those of its imports, in order, as hex text; an
interface or an ABI counts with the hash of its text (Vyper's `semantics/analysis/imports.py`). Storage layout
overrides are hashed first (`compiler/phases.py`).
"""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import permutations, product
from typing import Final, NamedTuple, TypeGuard

from statuary.base.budget import consume_steps
from statuary.base.json_values import Json, JsonObject, as_object
from statuary.base.limits import MAX_IMPORT_DEPTH, MAX_IMPORTED_MODULES, MAX_PERMUTED_VARIABLES
from statuary.base.primitives import InvalidValueError
from statuary.contracts.model.compiler import CompilerVersion, parse_compiler_version

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

_BUILTIN = re.compile(r"ethereum\.ercs(?:\..*)?|math")
"""The names of modules that may be the compiler's, in releases that are not known here."""

_HIDDEN = re.compile(
    r"""(?s)"{3}.*?(?:"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|\#[^\n]*"""
    r"""|"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?"""
)
"""Docstrings, comments and strings. An unclosed one ends with its line or the file, so each byte is read once."""

_STATEMENT = re.compile(r"(?m)^(?:from|import)\b[^\n(]*(?:\([^()]*\))?")
_TOKEN = re.compile(r"\w+|\S")
_NAME = re.compile(r"\w+(?:\.\w+)*")
_SUFFIXES = (".vy", ".vyi", ".json")
_SLOT_MEMBERS = ("type", "slot", "n_slots")

_INTERFACES_HAVE_IMPORTS_SINCE: Final = CompilerVersion(0, 5, 0)
"""The first release that hashes an interface together with its imports."""

_OVERRIDES_HAVE_PATHS_SINCE: Final = CompilerVersion(0, 4, 2)
"""The first release whose overrides are one level deeper, below the path of their file."""


class UnknownModuleError(InvalidValueError):
    """Raised if a source imports a compiler's module that is unknown here."""

    def __init__(self, module: str, version: str) -> None:
        super().__init__(f"the text of {module!r} in Vyper {version} is not known here")
        self.module = module


class VyperProgram(NamedTuple):
    """The input of Vyper's integrity hash, which identifies sources in bytecode."""

    main: str  # the path of the compiled module
    sources: Mapping[str, str]  # texts by path
    version: str
    overrides: Json = None  # `storage_layout_overrides` of the input, or None
    search_paths: Sequence[str] = (".",)  # the setting `search_paths`; the last one is searched first


class Import(NamedTuple):
    """The module that an import statement names."""

    level: int  # the number of leading dots
    name: str  # dotted


def integrity_hashes(program: VyperProgram) -> Iterator[str]:
    """Yield the integrity hashes that Vyper may have computed for sources.

    There is one hash, unless the storage layout is overridden. Vyper hashes the overrides as JSON, and
    records do not preserve the order of the keys, so each likely order gives a hash.

    Raises:
        UnknownModuleError: if the sources import an unknown module of the compiler.
        InvalidValueError: if the sources import a module that is missing.
    """
    modules = _ModuleHasher(program).module_hash(program.main, ())
    overrides = as_object(program.overrides)
    if program.main not in overrides:
        yield modules
        return
    for text in _override_texts(overrides[program.main], parse_compiler_version(program.version)):
        yield _sha256_hex(_sha256_hex(text) + modules)


def integrity_hashed_paths(program: VyperProgram) -> frozenset[str]:
    """Return the paths of the sources that Vyper's integrity hash covers.

    These are the main file, its imports, and their imports.

    Raises:
        InvalidValueError: if an import cannot be parsed.
    """
    modules = _ModuleHasher(program)
    reached = set[str]()
    open_paths = [program.main]
    while open_paths:
        path = open_paths.pop()
        if path in reached or path not in program.sources:
            continue
        reached.add(path)
        if modules.includes_imports(path):
            found = [modules.find_import(path, imported) for imported in parse_imports(program.sources[path])]
            open_paths += [source for source in found if source is not None]
    return frozenset(reached)


def parse_imports(source_text: str) -> list[Import]:
    """Return the imports of a Vyper module in order.

    Raises:
        InvalidValueError: if an import cannot be parsed.
    """
    lines = source_text.replace("\r\n", "\n").replace("\r", "\n")
    code = _HIDDEN.sub(lambda match: "" if match[0].startswith("#") else "''", lines).replace("\\\n", " ")
    return [imported for match in _STATEMENT.finditer(code) for imported in _parse_import_statement(match[0])]


def _parse_import_statement(statement: str) -> Iterator[Import]:
    # The forms are `import a.b as c`, `from ..a import b` and `from a import (b, c)`.
    tokens = [token for token in _TOKEN.findall(statement) if token not in ("(", ")")]
    keyword = tokens.index("import") if "import" in tokens else len(tokens)
    origin = "".join(tokens[1:keyword])
    package = origin.lstrip(".")
    for item in " ".join(tokens[keyword + 1 :]).rstrip(", ").split(","):
        name = "".join(item.partition(" as ")[0].split())
        dotted = f"{package}.{name}" if package else name
        if not _NAME.fullmatch(dotted):
            raise InvalidValueError(f"the import statement {statement[:80]!r} does not name a module")
        yield Import(len(origin) - len(package), dotted)


class _ModuleHasher:
    """The modules of a program; each is hashed once."""

    def __init__(self, program: VyperProgram) -> None:
        self._program = program
        self._version = parse_compiler_version(program.version)
        self._builtin = BUILTIN_MODULES.get(self._version[:3])
        self._paths = {posixpath.normpath(path): path for path in program.sources}
        self._hashes: dict[str, str] = {}

    def module_hash(self, path: str, importing_paths: tuple[str, ...]) -> str:
        """Return the integrity hash of a module with its imports.

        Args:
            path: the path of the module.
            importing_paths: the chain of modules that import it, to detect circular imports.
        """
        if path in self._hashes:
            return self._hashes[path]
        if path in importing_paths or len(importing_paths) > MAX_IMPORT_DEPTH:
            raise InvalidValueError(
                f"the module {path!r} imports itself, or imports are nested deeper than {MAX_IMPORT_DEPTH} "
                "levels"
            )
        text = self._program.sources.get(path)
        if text is None:
            raise InvalidValueError(f"the module {path!r} is not among the sources of the contract")
        imports = parse_imports(text)
        if len(imports) > MAX_IMPORTED_MODULES:
            raise InvalidValueError(
                f"the module {path!r} imports {len(imports)} modules; the limit is {MAX_IMPORTED_MODULES}"
            )
        parts = [self._hash_import(path, imported, (*importing_paths, path)) for imported in imports]
        self._hashes[path] = _sha256_hex("".join([_sha256_hex(text), *parts]))
        return self._hashes[path]

    def _hash_import(self, importing_path: str, imported: Import, importing_paths: tuple[str, ...]) -> str:
        if self._is_builtin(imported):
            return self._builtin_hash(imported.name)
        found = self.find_import(importing_path, imported)
        if found is None:
            raise InvalidValueError(
                f"{importing_path!r} imports {imported.name!r}, which is not among the sources"
            )
        if self.includes_imports(found):
            return self.module_hash(found, importing_paths)
        return _sha256_hex(self._program.sources[found])

    def includes_imports(self, path: str) -> bool:
        """Return whether the hash of a Vyper file covers its imports.

        Args:
            path: the path of the file. For an interface (`.vyi`), the answer depends on the compiler's
                version.
        """
        if path.endswith(".vyi"):
            return self._version >= _INTERFACES_HAVE_IMPORTS_SINCE
        return path.endswith(".vy")

    def _is_builtin(self, imported: Import) -> bool:
        # No source replaces a module of the compiler.
        if imported.level or not _BUILTIN.fullmatch(imported.name):
            return False
        return self._builtin is None or imported.name != "math" or "math" in self._builtin

    def _builtin_hash(self, module_name: str) -> str:
        if self._builtin is None:
            raise UnknownModuleError(module_name, self._program.version)
        if module_name not in self._builtin:
            raise InvalidValueError(f"Vyper {self._program.version} has no module {module_name!r}")
        # The table has the SHA-256 of the text of each module. Vyper uses this digest for an interface, but
        # hashes it once more for the module `math`.
        return (
            _sha256_hex(self._builtin[module_name]) if module_name == "math" else self._builtin[module_name]
        )

    def find_import(self, importing_path: str, imported: Import) -> str | None:
        """Return the path of the source to which an import refers.

        Args:
            importing_path: the path of the importing module.

        Returns:
            The path, or None if the source is missing or the module is built into the compiler.
        """
        if self._is_builtin(imported):
            return None
        tail = imported.name.replace(".", "/")
        if imported.level:
            folders = [posixpath.join(posixpath.dirname(importing_path), *[".."] * (imported.level - 1))]
        else:
            folders = [posixpath.dirname(self._program.main), *reversed(self._program.search_paths)]
        for suffix in _SUFFIXES:
            for folder in folders:
                found = self._paths.get(posixpath.normpath(posixpath.join(folder, f"{tail}{suffix}")))
                if found is not None:
                    return found
        # The record may lack the search paths that the compiler used. So accept any source whose path ends
        # like the import.
        return None if imported.level else self._find_source_by_ending(tail)

    def _find_source_by_ending(self, path_ending: str) -> str | None:
        sources = self._program.sources
        consume_steps(len(sources) * len(_SUFFIXES))
        endings = (f"/{path_ending}{suffix}" for suffix in _SUFFIXES)
        return next((path for ending in endings for path in sources if path.endswith(ending)), None)


def _override_texts(overrides: Json, compiler_version: CompilerVersion) -> Iterator[str]:
    if compiler_version >= _OVERRIDES_HAVE_PATHS_SINCE:
        overrides = next(iter(as_object(overrides).values()), None)
    for layout in _layout_reorderings(overrides):
        for members in permutations(_SLOT_MEMBERS):
            yield json.dumps(_order_position_members(layout, members))


def _has_nested_names(layout: Json) -> TypeGuard[JsonObject]:
    """Return whether a layout contains further names, such as of a module.

    The layout of a single variable has only numbers and strings.
    """
    return isinstance(layout, Mapping) and any(isinstance(value, Mapping) for value in layout.values())


def _count_layout_names(layout: Json) -> int:
    return (
        sum(1 + _count_layout_names(value) for value in layout.values()) if _has_nested_names(layout) else 0
    )


def _layout_reorderings(layout: Json) -> Iterator[Json]:
    """Yield a small layout with its names in every order.

    For a larger one, only its own order, the order by name and the order by slot are yielded.
    """
    if _count_layout_names(layout) <= MAX_PERMUTED_VARIABLES:
        yield from _permute_layout(layout)
        return
    yield layout
    yield _sort_layout(layout, by_slot=False)
    yield _sort_layout(layout, by_slot=True)


def _permute_layout(layout: Json) -> Iterator[Json]:
    if not _has_nested_names(layout):
        yield layout
        return
    for names in permutations(layout):
        for values in product(*(tuple(_permute_layout(layout[name])) for name in names)):
            yield dict(zip(names, values, strict=True))


def _sort_layout(layout: Json, *, by_slot: bool) -> Json:
    if not _has_nested_names(layout):
        return layout
    names = sorted(layout, key=lambda name: (_lowest_slot_digits(layout[name]) if by_slot else "", name))
    return {name: _sort_layout(layout[name], by_slot=by_slot) for name in names}


def _lowest_slot_digits(layout: Json) -> str:
    if _has_nested_names(layout):
        return min(map(_lowest_slot_digits, layout.values()))
    return str(as_object(layout).get("slot")).zfill(80)


def _order_position_members(layout: Json, member_order: Sequence[str]) -> Json:
    if _has_nested_names(layout):
        return {name: _order_position_members(value, member_order) for name, value in layout.items()}
    if not isinstance(layout, Mapping):
        return layout
    ordered = {member: layout[member] for member in member_order if member in layout}
    return ordered | {member: value for member, value in layout.items() if member not in ordered}


def _sha256_hex(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
