"""Above the number of contracts that have a page of their own, lists lead to the page that shows any of them, and the build says so."""

import re
from html import unescape

import pytest
from click.testing import CliRunner

from statuary.cli.exit_codes import ExitCode
from statuary.cli.main import command
from support.imported_projects import NOW, empty_site, imported


@pytest.fixture
def content(tmp_path):
    folder = empty_site(tmp_path)
    assert imported(folder, "foundry").exit_code == ExitCode.OK
    return folder


def built(content, limit):
    site, settings = content.parent / f"site-{limit}", content / "site.yaml"
    settings.write_text(f"{settings.read_text().partition('pages:')[0]}pages: {{contracts: {limit}}}\n")
    options = ["--content", str(content), "--out", str(site), "--now", NOW.isoformat()]
    result = CliRunner().invoke(command, ["build", *options])
    assert result.exit_code == ExitCode.OK, result.output
    return site, result.output


def links_to(site, pattern):
    pages = [unescape(file.read_text()) for file in site.glob("contracts/**/*.html")]
    return {link for page in pages for link in re.findall(f'href="([^"]*{pattern}[^"]*)"', page)}


def test_large_site_links_shared_contract_page(content):
    addresses = {folder.name for folder in content.glob("contracts/31337/*")}
    assert len(addresses) == 4
    site, output = built(content, 3)
    assert "above pages.contracts: contract.html shows each in the browser" in output
    assert not list(site.glob("contracts/31337/0x*.html"))
    assert (site / "contract.html").is_file()
    links = links_to(site, r"contract\.html\?")
    assert {address for address in addresses if any(address in link for link in links)} == addresses
    assert all("chain=31337" in link for link in links)


def test_small_site_has_individual_contract_pages(content):
    site, output = built(content, 4)
    assert "above pages.contracts" not in output
    assert len(list(site.glob("contracts/31337/0x*.html"))) == 4
    assert not links_to(site, r"contract\.html\?")
