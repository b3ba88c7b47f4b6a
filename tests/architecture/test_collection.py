"""Every folder of tests is collected."""

import re
from fnmatch import fnmatch
from pathlib import Path

from hypothesis import settings

from support.random_runs import IS_LARGE

TESTS = Path(__file__).parents[1]


def test_pytest_collects_every_test_folder(request):
    left_out = request.config.getini("norecursedirs")
    folders = {part for file in TESTS.rglob("test_*.py") for part in file.relative_to(TESTS).parts[:-1]}
    assert {"engine", "browser"} <= folders
    assert not [name for name in folders if any(fnmatch(name, pattern) for pattern in left_out)]


def test_hypothesis_examples_are_deterministic_by_default():
    assert settings().derandomize is not IS_LARGE
    assert settings().deadline is None


def test_hypothesis_seed_is_set_only_centrally():
    own = re.compile(r"\bderandomize=|\bdeadline=|\bint\(os\.environ")
    texts = {file.relative_to(TESTS).as_posix(): file.read_text("utf-8") for file in TESTS.rglob("test_*.py")}
    del texts["architecture/test_collection.py"]
    assert [name for name, text in texts.items() if own.search(text)] == []
