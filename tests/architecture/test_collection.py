"""Every folder of tests is collected."""

import re
from fnmatch import fnmatch
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_pytest_collects_every_test_folder(request):
    left_out = request.config.getini("norecursedirs")
    folders = {part for file in TESTS.rglob("test_*.py") for part in file.relative_to(TESTS).parts[:-1]}
    assert {"engine", "browser"} <= folders
    assert not [name for name in folders if any(fnmatch(name, pattern) for pattern in left_out)]


def test_random_tests_are_deterministic():
    random = re.compile(r"((?:^@.*\n)*)^@given\(", re.MULTILINE)
    texts = {file.relative_to(TESTS).as_posix(): file.read_text("utf-8") for file in TESTS.rglob("test_*.py")}
    decorators = [(name, above) for name, text in texts.items() for above in random.findall(text)]
    assert len(decorators) > 30
    assert [
        name
        for name, above in decorators
        if "steady" not in above and not {"derandomize", "deadline"} <= words(above)
    ] == []


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
