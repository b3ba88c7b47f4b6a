"""Run a command again after it has replaced a damaged ledger."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from statuary.base.files import OWN_FOLDER
from statuary.cli.escape import print_error
from statuary.publish.ledger.damage import DamagedLedgerError

Result = TypeVar("Result")


def retry_with_new_ledger(folder: Path, run: Callable[[], Result]) -> Result:
    """Call a function again if it finds the site's ledger damaged.

    The ledger is the database of published files. A damaged one has been renamed by then, so that the second
    call makes a new one.

    Args:
        folder: the folder of the site.

    Raises:
        DamagedLedgerError: if the damaged ledger belongs to another folder.
    """
    try:
        return run()
    except DamagedLedgerError as error:
        if error.file.parent != folder / OWN_FOLDER:
            raise
        print_error(error)
        return run()
