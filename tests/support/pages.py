"""What tests of pages render: a site, its status and contracts, without a disk."""

from collections import Counter
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

from statuary.contracts.checks.prove import prove
from statuary.contracts.model.proof import Proof
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.contracts.pages.context import ContractPageContext
from statuary.contracts.pages.page import contract_page
from statuary.contracts.settings import Chain
from statuary.site.pages.site_context import SiteContext
from statuary.site.settings import PageSettings
from support.contracts import made_record

ZURICH = ZoneInfo("Europe/Zurich")


def small_site_context(**changes: Any) -> SiteContext:
    """Return the context of a small site."""
    values = {
        "name": "Plinth",
        "url": "https://status.plinth.example",
        "zone": ZURICH,
        "settings": PageSettings(),
        "has_contracts": True,
    }
    return SiteContext(**(values | changes))


def contract_pages(**changes: Any) -> ContractPageContext:
    """Return what pages of contracts depend on."""
    values = {
        "site": small_site_context(),
        "chains": (Chain("31337", "Test chain", "Test chain"),),
        "addresses": frozenset(),
    }
    return ContractPageContext(**(values | changes))


def page_of(record: dict[str, Any], proof: Proof | None = None, **changes: Any) -> str:
    """Return the page of a record; its proof is made unless it is given."""
    published = changes.pop("published", True)
    checked_record = RecordWithProof(record, proof or prove(record), published)
    document = contract_page(checked_record, contract_pages(**changes), source="made.json")
    return document.body.decode("utf-8")


def made_page(name: str = "plain", **changes: Any) -> str:
    """Return the page of a made contract."""
    return page_of(made_record(name), **changes)


class Elements(HTMLParser):
    """The elements of a page, as browsers would find them.

    Attributes:
        tags: how often each stands.
        attributes: every name of an attribute that stands, with its element.
        addresses: every address of a link or picture.
        text: what readers see.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[tuple[str, str]] = set()
        self.addresses: list[str] = []
        self._text: list[str] = []
        self.feed(page)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self._text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.attributes.add((tag, name))
            if name in ("href", "src"):
                self.addresses.append(value or "")

    def handle_data(self, data: str) -> None:
        self._text.append(data)
