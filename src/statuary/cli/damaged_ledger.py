"""Run a command again after it has replaced a damaged ledger."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from statuary.base.files import OWN_FOLDER
from statuary.cli.escape import print_error
from statuary.publish.ledger.damage import DamagedLedgerError

Result = TypeVar("Result")


def with_new_ledger(folder: Path, run: Callable[[], Result]) -> Result:
    """Run a function that writes a site's folder.

    If the ledger was damaged, it is renamed and the function runs again.
    """
    try:
        return run()
    except DamagedLedgerError as error:
        if error.file.parent != folder / OWN_FOLDER:
            raise
        print_error(error)
        return run()
