"""Run a command again after it has replaced a damaged ledger."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from statuary.base.files import OWN_FOLDER
from statuary.cli.escape import print_error
from statuary.publish.ledger.damage import DamagedLedgerError

Result = TypeVar("Result")


def retry_with_new_ledger(folder: Path, run: Callable[[], Result]) -> Result:
    """Call a function; if the site's database is damaged, call it again.

    The database (ledger) lists the published files. By the second call, the damaged file has been renamed, so
    the call creates a new one.

    Args:
        folder: the folder of the site.
        run: the function.

    Raises:
        DamagedLedgerError: if the damaged database belongs to another folder.
    """
    try:
        return run()
    except DamagedLedgerError as error:
        if error.file.parent != folder / OWN_FOLDER:
            raise
        print_error(error)
        return run()
