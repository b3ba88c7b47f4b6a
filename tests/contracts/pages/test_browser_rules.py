"""The rules of the check in the reader's browser: those of a build, except some that its result names."""

import re

from statuary.contracts.checks.prove import CONTRACT_CHECKS
from support.browser_rules import LEFT_TO_BUILDS
from support.requirements import CHECKOUT

RECORD = CHECKOUT / "src/statuary/contracts/pages/check/record.js"


def test_browser_skips_only_listed_rules():
    [table] = re.findall(
        r"^const CHECKS = \{\n(.*?)^\};", RECORD.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    in_browser = re.findall(r'^  "([a-z-]+)": ', table, re.MULTILINE)
    rules = [check.name for check in CONTRACT_CHECKS]
    assert set(in_browser) < set(rules)
    assert set(rules) - set(in_browser) == LEFT_TO_BUILDS
