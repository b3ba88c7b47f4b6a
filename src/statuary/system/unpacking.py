"""Archives: the files of a zip or tar file, unpacked into a folder."""

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from typing import IO, NamedTuple

from statuary.system.archives import DamagedDataError

ARCHIVE_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


class _ArchiveMember(NamedTuple):
    """A file in an archive."""

    name: str
    size: int
    stream: IO[bytes]


def is_archive(name: str) -> bool:
    """Return whether a file's name ends like that of an archive.

    For example, a name that ends in `.zip`.
    """
    return name.lower().endswith(ARCHIVE_SUFFIXES)


def unpack(file: Path, folder: Path, limit: int) -> None:
    """Unpack the files of an archive into a folder.

    Links and devices are skipped, and so are names that lead out of the folder.

    Args:
        file: the archive, a zip or tar file.
        limit: the largest number of bytes of all files together.

    Raises:
        DamagedDataError: if the archive is damaged, encrypted or larger than the limit.
        OSError: if a file cannot be written.
    """
    bytes_left = limit
    try:
        for member in _zip_members(file) if zipfile.is_zipfile(file) else _tar_members(file):
            bytes_left -= member.size
            if bytes_left < 0:
                raise DamagedDataError(f"the file has more than {limit:,} bytes when unpacked")
            parts = PurePosixPath(member.name.replace("\\", "/")).parts
            if not parts or ".." in parts or parts[0] == "/":
                continue
            place = folder.joinpath(*parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as copy:
                copyfileobj(member.stream, copy)
    except tarfile.ReadError:  # its message lists the complaint of every format
        raise DamagedDataError("the file is not a zip or tar file, or is cut off") from None
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DamagedDataError(f"the file is damaged: {error}") from None
    # zipfile raises these errors for an encrypted file or an unknown compression method.
    except (RuntimeError, NotImplementedError) as error:
        raise DamagedDataError(f"the file cannot be unpacked: {error}") from None


def _zip_members(file: Path) -> Iterator[_ArchiveMember]:
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as stream:
                    yield _ArchiveMember(entry.filename, entry.file_size, stream)


def _tar_members(file: Path) -> Iterator[_ArchiveMember]:
    with tarfile.open(file) as archive:
        for entry in archive:
            stream = archive.extractfile(entry) if entry.isreg() else None
            if stream is not None:
                yield _ArchiveMember(entry.name, entry.size, stream)
