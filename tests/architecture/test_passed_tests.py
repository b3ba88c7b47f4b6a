"""What passed in one run is noted for the next, file by file where all of a file passed."""

import json
import os
import subprocess
import sys

import pytest

from support.passed_tests import WITH_DATA, Passed, passed_of, read_passed
from support.requirements import CHECKOUT


def report(test, *keywords, outcome="passed", when="call"):
    return pytest.TestReport(test, (test, 0, ""), dict.fromkeys(keywords, 1), outcome, None, when)


def test_a_file_passed_if_each_of_its_tests_did():
    reports = {
        "": [report("tests/whole.py::one", when="setup"), report("tests/broken.py::one", when="setup")],
        "passed": [
            report("tests/whole.py::one"),
            report("tests/whole.py::two[a::b]"),
            report("tests/part.py::one"),
            report("tests/data.py::one", WITH_DATA),
            report("tests/data.py::two"),
            report("tests/broken.py::one"),
        ],
        "skipped": [
            report("tests/part.py::two", outcome="skipped", when="setup"),
            pytest.CollectReport("tests/no_module.py", "skipped", None, []),
        ],
        "error": [report("tests/broken.py::one", outcome="failed", when="teardown")],
        "warnings": [object()],
    }
    assert passed_of(reports) == Passed(
        ["tests/whole.py"], ["tests/part.py::one", "tests/data.py::two", "tests/broken.py::one"]
    )


@pytest.mark.parametrize("outcome", ["failed", "error", "xfailed", "xpassed", "skipped", "rerun"])
def test_a_file_with_any_other_outcome_is_collected_again(outcome):
    reports = {"passed": [report("tests/one.py::a")], outcome: [report("tests/one.py::b", outcome="failed")]}
    assert passed_of(reports) == Passed([], ["tests/one.py::a"])


def test_the_next_run_leaves_out_what_passed_and_no_more(tmp_path):
    everything = collected({})
    files = {test.partition("::")[0] for test in everything}
    whole, part = "tests/publishing/test_tick.py", "tests/publishing/test_listing.py"
    assert {whole, part} < files
    one = next(test for test in everything if test.startswith(part))
    noted = tmp_path / "passed"
    noted.write_text(json.dumps(Passed([whole], [one])._asdict()), encoding="utf-8")
    rest = collected({"STATUARY_PASSED": str(noted)})
    assert rest == [test for test in everything if not test.startswith(whole) and test != one]


def collected(variables):
    """Return the tests of a folder that would run."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--collect-only",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "tests/publishing",
        ],
        cwd=CHECKOUT,
        env={name: value for name, value in os.environ.items() if not name.startswith("STATUARY_")}
        | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_without_a_note_nothing_is_left_out():
    assert read_passed(None) == Passed()
