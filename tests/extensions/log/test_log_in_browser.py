"""The lines about the log on pages, in Chromium: of a log whose key and name changed, and of one that could not be extended."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from statuary.extensions.log.pages import PARTS
from statuary.site.pages.page_texts import page_texts
from support.browser import browse
from support.log_operator import Operator
from support.logs import KEY, LOGGED_SITE, ORIGIN, log_failure
from support.sites import INCIDENT, address_of, write_files

pytestmark = pytest.mark.slow

PAGES = ["incidents/slow.html", f"contracts/748463/{address_of(1)}.html"]
OTHER = "status.plinth.example/log2"


def shown_on(site: Path, *paths: str, width: int = 1280) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = browse(site, "logged", paths=list(paths or PAGES), width=width)
    return shown


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    operator = Operator(tmp_path)
    operator.build(0, "--init-log")
    return operator


@pytest.mark.parametrize("origin", [ORIGIN, OTHER])
def test_pages_verify_log_after_key_rotation(operator, origin):
    operator.rotate(0, 1, *(() if origin == ORIGIN else ("--origin", origin)))
    operator.rename(origin)
    operator.build(1)
    for line in shown_on(operator.host):
        assert line["holds"], line
        assert re.match(r"Entry \d, verified in your browser\.", line["text"])
        assert "Signed with this site\N{RIGHT SINGLE QUOTATION MARK}s published key" in line["text"]
        assert line["command"] == "statuary log verify https://status.plinth.example"
        assert line["complaints"] == []
    # pages whose index.json still names the former key say so
    index = operator.host / "log/index.json"
    index.write_bytes(
        index.read_bytes().replace(operator.key(1).public.text.encode(), KEY.public.text.encode())
    )
    assert not any(line["holds"] for line in shown_on(operator.host))


FAULTS = {
    "clock": {"now": "2026-11-15T12:00:00Z"},
    "started": {"now": "2026-11-21T12:00:00Z", "init_log": True},
    "missing": {"now": "2026-11-21T12:00:00Z", "elsewhere": "nowhere"},
}


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("cause", FAULTS)
def test_page_shows_log_fault_translated(tmp_path, content, site, cause, language):
    settings = LOGGED_SITE["site.yaml"] + f"pages:\n  language: {language}\n"
    write_files(content, {"site.yaml": settings, "incidents/slow.yaml": INCIDENT.replace("Slow", "Outage")})
    options = dict(FAULTS[cause])
    if "elsewhere" in options:
        options["elsewhere"] = tmp_path / "nowhere"
    log_failure(content, site, **options)
    fault = json.loads((site / "log/fault.json").read_bytes())
    assert fault["cause"] == cause
    texts = page_texts(language, (), (PARTS.folder,))
    values = {name: str(value) for name, value in fault["values"].items()}
    reason = texts(f"log.cause.{cause}", **values)
    [line] = shown_on(site, PAGES[0])
    assert not line["holds"]
    assert texts("log.behind", at=fault["at"], reason=reason) in line["text"]
    assert fault["reason"] not in line["text"] or language == "en"


def test_phone_page_shows_failed_proof_first(operator, tmp_path):
    [well] = shown_on(operator.host, PAGES[0], width=390)
    assert well["holds"]
    assert not well["first"], "the news come first while nothing is wrong"
    document = operator.host / "incidents/slow.json"
    document.write_bytes(document.read_bytes().replace(b"Outage", b"Delays"))
    [changed] = shown_on(operator.host, PAGES[0], width=390)
    assert not changed["holds"]
    assert changed["first"]
    assert "SHA-256" in changed["text"] or "entry" in changed["text"], changed["text"]
