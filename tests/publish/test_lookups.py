"""Queries about single files, whose work does not grow with the number of files."""

from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.lookups import published_digest
from statuary.publish.ledger.schema import AddedFile


def steps_of_lookup(count: int) -> int:
    """Publish so many files, and return the steps of SQLite that a look-up of one takes."""
    with Ledger() as ledger:
        files = [
            AddedFile(
                f"v2/contract/1/0xAB{number:05}", "", bytes([7]), 1, 0, "", persistent=False, actions="a"
            )
            for number in range(count)
        ]
        ledger.documents.add(files)
        ledger.save(ledger.plan())
        steps = list[int]()
        ledger.connection.set_progress_handler(lambda: steps.append(1), 1)
        assert published_digest(ledger.documents, files[-1].path) == "07"
        assert published_digest(ledger.documents, files[-1].path.lower()) == ""
        return len(steps)


def test_digest_lookup_takes_constant_work() -> None:
    assert steps_of_lookup(500) == steps_of_lookup(5)
