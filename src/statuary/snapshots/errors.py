"""Errors of snapshots."""

from statuary.publishing.errors import PublishingError


class DamagedSnapshotError(PublishingError):
    """A snapshot is incomplete, modified or malicious. Nothing was written."""


def refuse_tar_zst(location: str) -> None:
    """Raise PublishingError for a file or URL named .tar.zst, which early versions wrote besides .zip."""
    if location.partition("?")[0].endswith(".tar.zst"):
        raise PublishingError(
            f"{location} is a .tar.zst, a form of snapshots that is no longer read",
            "unpack it with `tar --zstd -xf` into an empty folder; `statuary snapshot create --from FOLDER OUT.zip` packs that",
        )
