"""The page of any contract has the texts that its templates and its script use, and no others."""

import re

from statuary.contracts.pages.viewer import TEXT_FAMILIES
from support.requirements import CHECKOUT

PAGES = CHECKOUT / "src/statuary/contracts/pages"
TEXTS = re.compile(r"\b(?:t|t_markup|t\.count|has)\(\s*[\"'`]([a-z_]+)\.")


def test_viewer_has_texts_that_it_uses() -> None:
    files = [PAGES / "templates/contract.html", PAGES / "templates/contract_check.html"]
    files += sorted((PAGES / "viewer_script").glob("*.js"))
    used = {family for file in files for family in TEXTS.findall(file.read_text("utf-8"))}
    assert used | {"number"} == TEXT_FAMILIES
