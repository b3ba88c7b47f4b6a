"""Write a contract's files into the content folder, each atomically; the file that makes it a contract comes last."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from statuary.content.anchor_file import anchor_path
from statuary.content.compilation_file import compilation_path
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.importing.import_error import ContractImportError
from statuary.importing.workspace_files import WORKSPACE_FILES
from statuary.publishing.atomic_file import atomic_file
from statuary.publishing.errors import PublishingError

HINT = "fix the cause and add the contract again with --force"


def write_contract(root: Path, files: Mapping[str, bytes], replaced: ContractSource | None) -> None:
    """Write a contract's files, and remove those of the contract that it replaces.

    Args:
        files: by path in the content folder, in the order in which to write them.
        replaced: the existing contract; other files beside it stay.

    Raises:
        ContractImportError: if a file cannot be written or removed.
    """
    stale = [path for path in files_of_source(replaced) if path not in files]
    try:
        for path, body in files.items():
            with atomic_file(root / path) as stream:
                stream.write(body)
        for path in stale:
            _remove(root / path, [root / written for written in files])
    except PublishingError as error:
        raise ContractImportError(str(error), HINT) from None
    except OSError as error:
        raise ContractImportError(f"{error.filename or root}: {error.strerror}", HINT) from None


def files_of_source(source: ContractSource | None) -> list[str]:
    """Return the files that a contract may have, as paths in the content folder."""
    if source is None:
        return []
    evidence = [compilation_path(source), anchor_path(source)]
    if source.form is not ContractForm.WORKSPACE:
        return [source.path, *evidence]
    return [*(str(PurePosixPath(source.path).parent / name) for name in WORKSPACE_FILES), *evidence]


def _remove(file: Path, written: list[Path]) -> None:
    """Remove a file, and its folder if it is empty then, unless it was just written."""
    # on a file system that ignores case, another case of an address is the same file
    if not file.exists() or any(file.samefile(one) for one in written):
        return
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()
