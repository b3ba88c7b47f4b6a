"""What a build remembers of clear signing: while nothing that was looked at differs, nothing is judged again.

A judgement depends on the files of the folder, on the settings and the program, and on the records that were compared.
Records are told by the digests of their documents in the ledger, so that none is read.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from statuary.documents.url_table import CONTRACT, PROOF
from statuary.domain.findings import Finding, Severity
from statuary.domain.primitives import checksum_address
from statuary.extensions.clear_signing.descriptors import DescriptorError, DescriptorFolder
from statuary.pipeline.fingerprint import digest_of
from statuary.pipeline.stages import Additions
from statuary.publishing.ledger.ledger import Ledger

GROUP: Final = "clear signing"
"""The group of these documents in the ledger, and the note with what was said of them."""


def folder_digest(folder: DescriptorFolder) -> str:
    """Return the SHA-256 of all files of a folder with their names, in hex."""
    digest = sha256(repr(folder.listing[1]).encode())
    for path in folder.listing[0]:
        try:
            body = folder.raw(path)
        except DescriptorError as error:
            body = error.finding.message.encode()
        digest.update(path.encode() + b"\0" + sha256(body).digest())
    return digest.hexdigest()


class Memory(NamedTuple):
    """What the last build said, and what it depended on."""

    ledger: Ledger
    basis: str  # the fingerprint of all but the records

    def _fingerprint(self, places: Iterable[Sequence[str]]) -> str:
        return digest_of(self.basis, tuple(self._digests(*place) for place in places))

    def _digests(self, chain_id: str, address: str) -> tuple[str, ...]:
        """Return the digests of a record and its proof as they will be published; nothing if there is no record."""
        if self.ledger.sources.contract_at(chain_id, address) is None:
            return ()
        urls = (CONTRACT, PROOF)
        paths = (url.path(chain_id=chain_id, address=address) for url in urls)
        return tuple(map(self.ledger.documents.digest_at, paths))

    def recalled(self) -> Additions | None:
        """Return what the last build said, if all that it depended on is the same; None if it is not."""
        group, note = self.ledger.kept(GROUP), self.ledger.note(GROUP)
        if not group.fingerprint or not note:
            return None
        said = orjson.loads(note)
        if group.fingerprint != self._fingerprint(said["places"]):
            return None
        self.ledger.keep(GROUP, group.fingerprint)
        self.ledger.add_notes({GROUP: note})
        return Additions(findings=tuple(map(_finding, said["findings"])), line=said["line"])

    def keep(self, places: Iterable[tuple[str, str]], additions: Additions) -> None:
        """Remember what is said, and the contracts that it depends on by chain and address."""
        written = [(chain_id, checksum_address(address)) for chain_id, address in sorted(places)]
        self.ledger.keep(GROUP, self._fingerprint(written))
        said = {"places": written, "line": additions.line, "findings": additions.findings}
        self.ledger.add_notes({GROUP: orjson.dumps(said).decode()})


def _finding(value: dict[str, Any]) -> Finding:
    """Return a finding of its JSON; where it stands in its file is looked up when it is shown."""
    severity, pointer = Severity(value["severity"]), tuple(value["pointer"])
    return Finding(**value | {"severity": severity, "pointer": pointer, "position": None})
