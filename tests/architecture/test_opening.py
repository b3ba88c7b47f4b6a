"""Only `statuary.system` opens files, programs, databases, archives and connections."""

import ast
from pathlib import Path

import pytest

from architecture import doors
from architecture.code import Module, modules
from architecture.openings import SYSTEM, openings


def test_only_system_package_opens_files() -> None:
    found = [
        opening
        for module in modules().values()
        if not f"{module.name}.".startswith(f"{SYSTEM}.")
        for opening in openings(module)
    ]
    assert found == []


def test_list_of_io_callers_is_current() -> None:
    shown = doors.FILE.read_text("utf-8")
    assert doors.table(modules()) == shown, "read the new rows: python tests/support/regenerate.py doors"


@pytest.mark.parametrize(
    ("text", "door"),
    [
        ("from statuary.system.files import read_file as body\nbody('x')", "files.read_file"),
        ("from statuary.system import files\nlist(map(files.read_file, names))", "files.read_file"),
        ("import statuary.system.files\nstatuary.system.files.read_file('x')", "files.read_file"),
        ("from statuary.system.archives import inflate\ninflate(data, 1)", "archives.inflate"),
        ("from statuary.system.programs import git_output\ngit_output(f, 'log')", "programs.git_output"),
        (
            "def f():\n    from statuary.system.network.client import get\n    return get(url)",
            "network.client.get",
        ),
    ],
)
def test_caller_of_io_function_is_detected(text: str, door: str) -> None:
    made = Module("statuary.made", Path("made.py"), text, ast.parse(text))
    system = {name: module for name, module in modules().items() if doors.is_of_system(name)}
    assert doors.users(system | {made.name: made}) == {f"{SYSTEM}.{door}": {made.name}}


def test_function_without_io_is_not_listed() -> None:
    assert f"{SYSTEM}.network.client.is_url" not in doors.doors(modules())


@pytest.mark.parametrize(
    "text",
    [
        "import socket",
        "import socket as s",
        "from socket import create_connection as connect",
        "import urllib.request as web\nweb.urlopen('x')",
        "def f():\n    from urllib import request",
        "import http.client",
        "from http import client",
        "import sqlite3 as database\ndatabase.connect('x')",
        "from sqlite3 import connect as made",
        "def f(duckdb):\n    return duckdb.connect()",
        "open('x')",
        "opened = open\nopened('x')",
        "from io import open as opened",
        "import os\nos.open('x', os.O_RDONLY)",
        "from pathlib import Path\nPath('x').open()",
        "read = path.read_bytes",
        "from pathlib import Path\nlist(map(Path.read_text, files))",
        "getattr(path, 'write_bytes')(b'')",
        "from operator import methodcaller\nmethodcaller('read_bytes')(path)",
        "import importlib\nimportlib.import_module('sqlite3.dbapi2')",
        "from statuary.base.optional import optional\noptional('duckdb', extra='analysis')",
        "from shutil import copytree as copied",
        "from importlib import resources",
        "import zipfile\nzipfile.ZipFile('x')",
        "import gzip\ngzip.open('x')",
        "from zlib import decompress as unpack",
        "import subprocess as run",
        "from os import system\nsystem('x')",
        "import os as system\nsystem.popen('x')",
        "import asyncio\nasyncio.open_connection('a', 1)",
    ],
)
def test_every_file_opening_call_is_detected(text: str) -> None:
    assert list(openings(Module("statuary.made", Path("made.py"), text, ast.parse(text))))


@pytest.mark.parametrize(
    "text",
    [
        "from urllib.request import url2pathname",
        "from http import HTTPStatus",
        "import sqlite3\nsqlite3.Error",
        "opened = []",
    ],
)
def test_similar_name_without_io_is_allowed(text: str) -> None:
    assert not list(openings(Module("statuary.made", Path("made.py"), text, ast.parse(text))))
