"""Small content folders for tests, drawn as dictionaries of path to text; and what builds of them leave in a folder."""

import json
import os
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from statuary.base.files import is_manifest_path
from statuary.base.findings import Severity
from statuary.base.primitives import checksum_address, parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.api.lists import address_list_document, chain_list_documents, group_rows_by_address
from statuary.contracts.api.proof_rules import health_and_version_documents
from statuary.contracts.checks.prove import CONTRACT_CHECKS
from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.model.record import make_contract_row
from statuary.engine import config_documents
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult, CheckedSite
from statuary.publish.fingerprint import Fingerprint, fingerprint_of
from statuary.publish.folder.folder_target import FolderTarget
from statuary.section import CheckOptions
from statuary.site.document import ADDRESS
from statuary.source.git_state import GitQuery
from statuary.status import write_status
from statuary.workers.options import ExecutionOptions
from support.chain_lists import list_of_rows
from support.contracts import made_record

SITE = """\
page:
  name: Plinth
  url: https://status.plinth.example
  id: plinthpage01
status:
  horizon_days: 2
chains:
  - chain_id: 748463
    name: Plinth
"""

COMPONENTS = """\
components:
  network:
    name: Network
    components:
      rpc:
        name: Public RPC
      blocks:
        name: Block production
  explorer:
    name: Explorer
"""

INCIDENT = """\
name: Slow answers
components:
  rpc: degraded_performance
updates:
  - at: 2026-11-02T10:00:00Z
    status: investigating
    body: We are looking into it.
  - at: 2026-11-02T11:00:00Z
    status: resolved
"""

MAINTENANCE = """\
name: Upgrade
components: [rpc]
created_at: 2026-11-01T00:00:00Z
scheduled_for: 2026-11-21T22:00:00Z
scheduled_until: 2026-11-21T23:00:00Z
"""

SMALL_SITE = {
    "site.yaml": SITE,
    "components.yaml": COMPONENTS,
    "incidents/slow.yaml": INCIDENT,
    "maintenances/upgrade.yaml": MAINTENANCE,
}
"""A site that is in order."""

WITHOUT_CHECKS = CheckOptions(skipped=frozenset(check.name for check in CONTRACT_CHECKS))
"""Options of a build that publishes every record as it is."""

NOW = "2026-11-20T12:00:00Z"
"""The instant that tests build at."""


def write_files(root: Path, files: dict[str, str | bytes | None]) -> Path:
    """Write files below a folder and return it; a file that is None is removed."""
    for path, body in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if body is None:
            file.unlink()
        elif isinstance(body, bytes):
            file.write_bytes(body)
        else:
            file.write_text(body, encoding="utf-8", newline="")
    return root


def tree(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by path, without a build's own notes."""
    files = {}
    for root, folders, names in os.walk(folder):  # several times as fast as `rglob`
        folders[:] = [name for name in folders if name != ".statuary"]
        below = os.path.relpath(root, folder)
        for name in names:
            file = os.path.join(root, name)  # noqa: PTH118
            if os.path.isfile(file):  # noqa: PTH113
                files[name if below == "." else f"{below}/{name}"] = Path(file).read_bytes()
    return dict(sorted(files.items()))


def files_in(site: Path) -> dict[str, bytes]:
    """Return the site's files, but for what tells of the build before, and the manifest, which lists that."""
    return {
        path: body
        for path, body in tree(site).items()
        if path != "changes.json" and not is_manifest_path(path)
    }


def git(folder: Path, *arguments: str) -> str:
    """Run git and return what it prints."""
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def small_site(root: Path, **_: object) -> Path:
    """Write the site that is in order below a folder and return its content folder."""
    return write_files(root / "content", dict(SMALL_SITE))


CHAIN = "748463"


@cache
def _record() -> bytes:
    return orjson.dumps(made_record())


def address_of(number: int) -> str:
    """Return the address of a contract."""
    return checksum_address(f"0x{number * 7919:040x}")


def record_of(number: int) -> bytes:
    """Return the record of a contract as it is written."""
    record = orjson.loads(_record())
    return orjson.dumps(record | {"chainId": CHAIN, "address": address_of(number), "matchId": str(number)})


def path_of(number: int) -> str:
    """Return where a contract is written, below the content folder."""
    return f"contracts/{CHAIN}/{address_of(number)}.json"


def site_of_many(root: Path, count: int, *, pages: bool = False) -> Path:
    """Write a small site with so many contracts, numbered from 1, and return its content folder."""
    content = small_site(root)
    if not pages:
        with (content / "site.yaml").open("a") as file:
            file.write("pages: {contracts: 0, listed: 0, search: false}\n")
    (content / "contracts" / CHAIN).mkdir(parents=True)
    for number in range(1, count + 1):
        (content / path_of(number)).write_bytes(record_of(number))
    return content


def build(
    content: Path, out: Path, now: str = NOW, *, git: bool = False, verify: bool = False
) -> BuildResult:
    """Build as the command does."""
    query = GitQuery(content) if git else None
    with FolderTarget(out) as target:
        options = ExecutionOptions(git=query, verify=verify)
        return build_site(content, target, parse_instant(now), NoProgress(), execution=options)


def contract_count(checked: CheckedSite) -> int:
    """Return how many contracts a build counted."""
    [counted] = [text for text in checked.counts if " contract" in text]
    return int(counted.partition(" ")[0].replace(",", ""))


def built_files(content: Path, out: Path, now: str = NOW, *, verify: bool = False) -> dict[str, bytes]:
    """Build a site that is in order, and return its files."""
    result = build(content, out, now, verify=verify)
    assert result.applied
    assert not [one for one in result.checked.findings if one.severity is Severity.ERROR]
    return files_in(out)


def as_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have builds believe that the site before is of another version of statuary."""

    def fingerprint(*of: Any) -> Fingerprint:
        return fingerprint_of(*of)._replace(statuary="another")

    monkeypatch.setattr(config_documents, "fingerprint_of", fingerprint)
    monkeypatch.setattr(write_status, "fingerprint_of", fingerprint)


def checksummed_path(path: str) -> str:
    """Return a path with its address checksummed, as that of every published record is; measured ones are not always."""
    return ADDRESS.sub(lambda address: checksum_address(address[0]), path)


def lookup_site(
    records: Iterable[bytes], chains: bytes, rows: Iterable[ContractRow] = ()
) -> dict[str, bytes]:
    """Return the documents of the look-up, by path, of these records; lists hold these rows as well."""
    bodies = {make_contract_row(json.loads(record)): record for record in records}
    listed = sorted({row.matchId: row for row in (*bodies, *rows)}.values(), key=lambda row: int(row.matchId))
    site = {
        f"v2/contract/{row.chainId}/{address}": body
        for row, body in bodies.items()
        for address in (row.address.lower(), checksum_address(row.address))
    }
    documents = [
        address_list_document(rows)
        for rows in group_rows_by_address(("", row) for row in sorted(listed, key=lambda row: row.address))
    ]
    for chain_id in {row.chainId for row in listed}:
        documents += chain_list_documents(list_of_rows(chain_id, listed))
    paths = {
        path: document.body
        for document in documents
        for path in (*document.aliases, document.path, checksummed_path(document.path))
    }
    service = {document.path: document.body for document in health_and_version_documents()}
    return site | paths | service | {"chains": chains}
