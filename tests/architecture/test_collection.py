"""Every folder of tests is collected."""

from fnmatch import fnmatch
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_pytest_enters_every_folder_of_tests(request):
    left_out = request.config.getini("norecursedirs")
    folders = {part for file in TESTS.rglob("test_*.py") for part in file.relative_to(TESTS).parts[:-1]}
    assert {"pipeline", "browser"} <= folders
    assert not [name for name in folders if any(fnmatch(name, pattern) for pattern in left_out)]
