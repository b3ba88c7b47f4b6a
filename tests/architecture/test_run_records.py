"""What a run records: the seconds of each file by tier, and skips beyond those that are expected."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.requirements import CHECKOUT
from support.run_records import OWN_OPTIONS, durations_of, record_durations, skip_reasons, unexpected_skips


def report(test: str, *keywords: str, seconds: float = 1, reason: str = "") -> pytest.TestReport:
    longrepr = ("test_a.py", 1, f"Skipped: {reason}") if reason else None
    outcome = "skipped" if reason else "passed"
    return pytest.TestReport(
        test, (test, 0, ""), dict.fromkeys(keywords, 1), outcome, longrepr, "call", duration=seconds
    )


def test_recorded_durations_sum_by_file_and_tier():
    reports = [
        report("tests/test_a.py::one", seconds=2),
        report("tests/test_a.py::two[x::y]", "slow", seconds=3),
        report("tests/test_a.py::two[z]", "slow", seconds=4),
        report("tests/test_b.py::one", "slow", "thorough", seconds=5),
    ]
    assert durations_of(reports) == {
        "tests/test_a.py": {"": 2, "slow": 7},
        "tests/test_b.py": {"thorough": 5},
    }


def test_recording_durations_keeps_other_test_files(tmp_path: Path):
    file = tmp_path / "tests/durations.json"
    file.parent.mkdir()
    for name in ("test_a.py", "test_b.py"):
        (file.parent / name).touch()
    record_durations(file, {"tests/test_a.py": {"": 1.04}, "tests/test_gone.py": {"": 9}})
    record_durations(file, {"tests/test_a.py": {"slow": 2}, "tests/test_b.py": {"": 3}})
    assert json.loads(file.read_text()) == {
        "tests/test_a.py": {"": 1.0, "slow": 2},
        "tests/test_b.py": {"": 3},
    }


def test_unexpected_or_frequent_skips_are_reported():
    skipped = (
        [report("a", reason="no deno")] * 2
        + [report("a", reason="no wrk (/x)")] * 3
        + [report("a", reason="other")]
    )
    expected = {"no deno": 2, r"no wrk \(.*\)": 2}
    assert unexpected_skips(skip_reasons(skipped), expected) == [
        "1 skipped, which is not expected: other",
        r"3 skipped, 2 are expected: no wrk \(.*\)",
    ]
    assert unexpected_skips(skip_reasons(skipped[:4]), expected) == []


@pytest.mark.parametrize(("most", "code"), [(1, 1), pytest.param(2, 0, marks=pytest.mark.slow)])
def test_run_with_unexpected_skips_fails(tmp_path: Path, most: int, code: int):
    for name in ("pyproject.toml", "tests/conftest.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((CHECKOUT / name).read_bytes())
    (tmp_path / "tests/support").symlink_to(CHECKOUT / "tests/support")
    (tmp_path / "tests/expected_skips.json").write_text(json.dumps({"newcomer": {"no deno.*": most}}))
    (tmp_path / "tests/test_a.py").write_text(
        "import pytest\ndef test_one(): pytest.skip('no deno')\ndef test_two(): pytest.skip('no deno 2')\n"
        "def test_three(): ...\n"
    )
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "temporary")]
    options += ["--expected-skips", "newcomer"]
    command = [sys.executable, "-m", "pytest", *options, "--record-durations"]
    done = subprocess.run(command, cwd=tmp_path, env=OWN_OPTIONS, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert ("2 skipped, 1 are expected: no deno.*" in done.stdout) is bool(code)
    assert set(json.loads((tmp_path / "tests/durations.json").read_bytes())) == {"tests/test_a.py"}


@pytest.mark.slow
def test_run_past_time_limit_skips_tests(tmp_path: Path):
    for name in ("pyproject.toml", "tests/conftest.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((CHECKOUT / name).read_bytes())
    (tmp_path / "tests/support").symlink_to(CHECKOUT / "tests/support")
    (tmp_path / "tests/expected_skips.json").write_text('{"none": {"left out: .*": 9}}')
    for name in "abcd":
        text = f"import time\ndef test_{name}(): time.sleep(4)\ndef test_{name}_again(): ...\n"
        (tmp_path / f"tests/test_{name}.py").write_text(text)
    options = ["-n", "2", "-v", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "temporary")]
    options += ["--expected-skips", "none", "--stop-after"]
    files = [f"tests/test_{name}.py" for name in "dabc"]
    command = [sys.executable, "-m", "pytest", *options]
    none = subprocess.run(
        [*command, "0", *files], cwd=tmp_path, env=OWN_OPTIONS, capture_output=True, text=True, check=False
    )
    assert " 8 skipped" in none.stdout, none.stdout
    every = subprocess.run(
        [*command, "900", *files], cwd=tmp_path, env=OWN_OPTIONS, capture_output=True, text=True, check=False
    )
    assert " 8 passed" in every.stdout
    begun = re.findall(r"^tests/test_(\w)\.py::test_\w ", every.stdout, re.MULTILINE)[:2]
    assert set(begun) == {"d", "a"}
