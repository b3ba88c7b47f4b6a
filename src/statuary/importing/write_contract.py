"""A contract's files into the content folder: each file old or new at any time, the one that counts last."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.importing.import_error import ContractImportError
from statuary.importing.workspace_files import WORKSPACE_FILES


def write_contract(root: Path, files: Mapping[str, bytes], replaced: ContractSource | None) -> None:
    """Write a contract's files, and remove those of the one that it replaces.

    Args:
        root: the content folder.
        files: what to write, by path in it, in this order.
        replaced: the contract that was there; what others put beside its files stays.

    Raises:
        CannotImport: if the disk refuses.
    """
    stale = [path for path in files_of_source(replaced) if path not in files]
    try:
        for path, body in files.items():
            _write(root / path, body)
        for path in stale:
            _remove(root / path, [root / written for written in files])
    except OSError as error:
        raise ContractImportError(
            f"{error.filename or root}: {error.strerror}",
            "mend the cause and add the contract again, with --force",
        ) from None


def files_of_source(source: ContractSource | None) -> list[str]:
    """Return the files that a contract may consist of, by path in the content folder."""
    if source is None:
        return []
    if source.form is not ContractForm.WORKSPACE:
        return [source.path]
    return [str(PurePosixPath(source.path).parent / name) for name in WORKSPACE_FILES]


def _remove(file: Path, written: list[Path]) -> None:
    """Remove a file, and its folder if nothing else is in it, unless it is one that was just written."""
    # where names do not differ by case, another spelling of an address is the same file
    if not file.exists() or any(file.samefile(one) for one in written):
        return
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()


def _write(file: Path, body: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    try:
        with new.open("wb") as opened:
            opened.write(body)
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)
