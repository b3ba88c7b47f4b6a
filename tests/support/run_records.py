"""What a run of the tests leaves for the next: how long each file took; and what it skipped, held against what is expected."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from support.due_tests import TIERS

OWN_OPTIONS = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
"""The environment for a run inside of a test, which takes over no options of the run around it."""


def durations_of(reports: Iterable[pytest.TestReport]) -> dict[str, dict[str, float]]:
    """Return the seconds of each file of tests by tier; "" is the tier without a marker."""
    seconds: dict[str, dict[str, float]] = {}
    for report in reports:
        tier = next((tier for tier in reversed(TIERS) if tier in report.keywords), "")
        by_tier = seconds.setdefault(report.nodeid.partition("::")[0], {})
        by_tier[tier] = by_tier.get(tier, 0.0) + report.duration
    return seconds


def record_durations(file: Path, seconds: Mapping[str, Mapping[str, float]]) -> None:
    """Write durations into a file; what it knows of other files of tests that still exist stays."""
    known = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    for path, by_tier in seconds.items():
        known[path] = known.get(path, {}) | {tier: round(value, 1) for tier, value in by_tier.items()}
    present = {path: known[path] for path in sorted(known) if (file.parents[1] / path).is_file()}
    file.write_text(json.dumps(present, indent=1) + "\n", "utf-8")


def skip_reasons(reports: Sequence[pytest.TestReport | pytest.CollectReport]) -> Counter[str]:
    """Count the reasons of skipped tests."""
    texts = (report.longrepr[2] if isinstance(report.longrepr, tuple) else "" for report in reports)
    return Counter(text.removeprefix("Skipped: ") for text in texts)


def unexpected_skips(reasons: Mapping[str, int], expected: Mapping[str, int]) -> list[str]:
    """Return a line for each reason that is not expected, or that more tests give than are expected to.

    Args:
        reasons: how many tests gave each.
        expected: how many may, by a regular expression that a whole reason matches.
    """
    lines, counts = [], Counter[str]()
    for reason, count in reasons.items():
        pattern = next((one for one in expected if re.fullmatch(one, reason)), None)
        if pattern is None:
            lines.append(f"{count} skipped, which is not expected: {reason}")
        else:
            counts[pattern] += count
    more = [pattern for pattern, count in counts.items() if count > expected[pattern]]
    return lines + [
        f"{counts[pattern]} skipped, {expected[pattern]} are expected: {pattern}" for pattern in more
    ]
