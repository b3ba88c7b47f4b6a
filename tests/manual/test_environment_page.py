"""The page about environment variables has each one that the package reads."""

import re

from statuary.extensions.log.options import BRANCHES, PRODUCTION, REQUESTS
from support.manual import MANUAL
from support.requirements import CHECKOUT

READ = re.compile(r'environ\.get\(f?"([A-Z][A-Z_]+)|"(\w+_API_KEY|GITHUB_TOKEN|STATUARY_[A-Z_]+)"')
"""A name where it is read, or as a constant."""


def test_environment_page_has_every_variable() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (CHECKOUT / "src/statuary").rglob("*.py"))
    names = {first or second for first, second in READ.findall(sources)}
    assert {"SOURCE_DATE_EPOCH", "STATUARY_CACHE", "STATUARY_LOG_KEY", "ETHERSCAN_API_KEY"} <= names
    page = (MANUAL / "environment.md").read_text("utf-8")
    assert {name for name in names | {*PRODUCTION, *BRANCHES, *REQUESTS} if f"`{name}" not in page} == set()
