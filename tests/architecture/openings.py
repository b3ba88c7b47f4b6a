"""What a module opens, read from its syntax tree.

Names that a module imports are resolved, under whatever name, and every attribute of a forbidden name is taken for
that of a path.
"""

import ast
from collections.abc import Iterator
from functools import cache

from architecture.code import Module

SYSTEM = "statuary.system"

NETWORK = ("socket", "ssl", "urllib.request", "http.client", "ftplib", "smtplib", "asyncio.open_connection")
"""Modules and functions that open connections."""

PROGRAMS = (
    "subprocess",
    "os.system",
    "os.popen",
    "os.posix_spawn",
    "os.posix_spawnp",
    "os.fork",
    "pty",
    *(
        f"os.{kind}{way}"
        for kind in ("exec", "spawn")
        for way in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")
    ),
    "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell",
)
"""Modules and functions that run programs."""

DATABASES = ("sqlite3.connect", "sqlite3.dbapi2", "duckdb", "dbm", "shelve")
"""Modules and functions that open databases."""

ARCHIVES = (
    "zipfile",
    "tarfile",
    "gzip",
    "bz2",
    "lzma",
    "compression",
    "backports.zstd",
    "zstandard",
    "zlib.decompress",
    "zlib.decompressobj",
)
"""Modules and functions that decompress."""

FILES = (
    "builtins.open",
    "io.open",
    "io.open_code",
    "io.FileIO",
    "os.open",
    "os.fdopen",
    "codecs.open",
    "mmap",
    "fileinput",
    *(
        f"shutil.{name}"
        for name in (
            "copy",
            "copy2",
            "copyfile",
            "copyfileobj",
            "copytree",
            "move",
            "make_archive",
            "unpack_archive",
        )
    ),
    "importlib.resources",
    "click.File",
    "click.open_file",
    "fcntl",
    "linecache",
)
"""Modules and functions that open or copy files."""

FORBIDDEN = frozenset((*NETWORK, *PROGRAMS, *DATABASES, *ARCHIVES, *FILES))

HARMLESS = frozenset({"urllib.request.url2pathname", "gzip", "gzip.compress"})
"""Names of these modules that open nothing."""

EXCEPTIONS = {
    # it restarts itself in UTF-8 mode before it imports anything
    "statuary.__main__": frozenset({"os.execv", "os.open", ".open"}),
    # importlib.metadata reads a file of the installed distribution, which has no other interface
    "statuary.base.installation": frozenset({".read_text"}),
}
"""What other modules use, and why."""

METHODS = frozenset({"connect", "open", "read_bytes", "read_text", "write_bytes", "write_text", "fdopen"})
"""Methods that open something, whatever has them."""


def openings(module: Module) -> Iterator[str]:
    """Yield what a module opens: line and name."""
    imported = dict(imported_names(module))
    for node in module.nodes:
        for name in names_at(node, imported):
            if is_forbidden(name) and name not in HARMLESS | EXCEPTIONS.get(module.name, frozenset()):
                yield f"{module.name}:{getattr(node, 'lineno', 0)}: {name}"


def imported_names(module: Module) -> Iterator[tuple[str, str]]:
    """Yield each name that imports bind, with what it stands for."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                yield name, alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def names_at(node: ast.AST, imported: dict[str, str]) -> list[str]:
    """Return the full names of what a node uses: at an import, and wherever an imported name is used."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Attribute):
        return [f".{node.attr}", _full_name(node, imported)]
    if isinstance(node, ast.Name):
        return [imported.get(node.id, f"builtins.{node.id}")]
    return _names_in_call(node) if isinstance(node, ast.Call) else []


def _names_in_call(node: ast.Call) -> list[str]:
    """Return what a call names by a string: an attribute, or a module to import."""
    function = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    words = [str(word.value) for word in node.args if isinstance(word, ast.Constant)]
    if function in ("getattr", "methodcaller"):
        return [f".{word}" for word in words]
    return words if function in ("optional", "import_module") else []


def _full_name(node: ast.Attribute, imported: dict[str, str]) -> str:
    names, value = [node.attr], node.value
    while isinstance(value, ast.Attribute):
        names.append(value.attr)
        value = value.value
    if not isinstance(value, ast.Name):
        return ""
    return ".".join([imported.get(value.id, value.id), *reversed(names)])


@cache
def is_forbidden(name: str) -> bool:
    """Return whether what has a full name, or `.method`, opens something."""
    if name.startswith("."):
        return name[1:] in METHODS
    parts = name.split(".")
    return any(".".join(parts[: end + 1]) in FORBIDDEN for end in range(len(parts)))
