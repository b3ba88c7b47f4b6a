"""A snapshot goes through every place, and comes back as it was."""

import subprocess
import tempfile
from base64 import b64decode
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statuary.base.files import PublishingError
from statuary.extensions.snapshots.differences import find_differences
from statuary.extensions.snapshots.site_reader import open_site
from statuary.extensions.snapshots.snapshot_reader import read_snapshot
from statuary.extensions.snapshots.snapshot_target import copy_snapshot
from statuary.extensions.snapshots.verify import verify_snapshot
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.plan import Action
from statuary.site.document import Document
from support.random_runs import times
from support.requirements import require_names_in_utf_8, require_program
from support.sites import tree
from support.snapshots import made, mirrored, published, small_documents, tiny_documents


def test_snapshot_round_trips_through_mirror(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    assert verify_snapshot(str(file)).is_intact
    folder = mirrored(file, tmp_path / "mirror")
    assert verify_snapshot(str(folder)).is_intact
    copy_snapshot(str(folder), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()


def test_mirror_of_snapshot_equals_build(tmp_path: Path) -> None:
    file = made(tmp_path / "site.zip", small_documents())
    mirror = tree(mirrored(file, tmp_path / "mirror"))
    built = tree(published(small_documents(), tmp_path / "built"))
    assert {path: body for path, body in mirror.items() if not path.startswith("snapshot/")} == built


NAMES = st.text("abcxyz0é_-", min_size=1, max_size=8)


@settings(max_examples=times(25))
@given(
    st.dictionaries(st.tuples(NAMES, NAMES), st.binary(max_size=400), max_size=12),
)
def test_random_site_survives_snapshot_and_mirror(bodies: dict[tuple[str, str], bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        # folders end in a letter that no file has, so that no name is both
        documents = [Document(path=f"{one}Q/{two}", body=body) for (one, two), body in bodies.items()]
        file = made(root / "site.zip", documents)
        copy_snapshot(str(mirrored(file, root / "mirror")), root / "again.zip")
        assert (root / "again.zip").read_bytes() == file.read_bytes()
        with open_site(file) as site:
            assert {path: site.read(path) for path in site.paths()} == {
                document.path: document.body for document in documents
            }


SITES = st.dictionaries(st.sampled_from([f"n/{letter}" for letter in "abcdefgh"]), st.binary(max_size=60))


@settings(max_examples=times(25))
@given(SITES, SITES)
def test_snapshot_diff_lists_all_random_changes(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [
            made(Path(folder) / name, [Document(path=path, body=body) for path, body in site.items()])
            for name, site in (("a.zip", before), ("b.zip", after))
        ]
        with read_snapshot(str(files[0])) as old, read_snapshot(str(files[1])) as new:
            changes = {
                (change.action, change.entry.path)
                for change in find_differences(old.entries(), new.entries())
            }
    assert changes == {
        *((Action.ADD, path) for path in after.keys() - before.keys()),
        *((Action.REMOVE, path) for path in before.keys() - after.keys()),
        *((Action.REPLACE, path) for path in before.keys() & after.keys() if before[path] != after[path]),
    }


@pytest.mark.slow
def test_unzipped_snapshot_lacks_only_aliases(tmp_path: Path) -> None:
    require_names_in_utf_8()
    require_program("unzip", install=".ci/install-archivers")
    file = made(tmp_path / "site.zip", small_documents())
    subprocess.run(["unzip", "-q", file, "-d", tmp_path / "out"], check=True)
    verification = verify_snapshot(str(tmp_path / "out"))
    assert verification.is_intact
    assert verification.lacks_aliases
    copy_snapshot(str(tmp_path / "out"), tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()


# `tiny_documents` as the .tar.zst that earlier versions made of them.
OLD_FORM = b64decode(
    "KLUv/QSI/RMAhqx8ITBP65wbSiygfeeutLnK9s2UVg04v5nukgz1D+FBAQnUD3YAbAB4AMmphBPeaIKcytnACYp3niYODU4vJBpH"
    "E90BHlh1evE4xfQpNVEIY9xXp43DSKYCPpoow+4O7Lpdh3hhkQCzQKNF6nQ2PmXDaMJONQPZRR6fkgLZAESlhDihlRqhRVitXUSp"
    "3t1FGkdGDEwJI9P4RGM6ENLhjQy+tIqNEWTK8xdbI3+kvIpLM7bq9bfn91hjxqsklZb1VoOdODxSUiobqKLBOFydTvkwURNt39/L"
    "L42xX4/Pt389pT0693JrvezsrNrvr2fV9m2339XiKnZ12gs5hNSMBqdyPu7QpBdyCjEYqUkPtYa4ExCcHSxK2AO1DAwQIlTaW2yD"
    "G/P9mY3zDVQB8NAmECdFwYTycYgPIGgcGdFoHGb6MxIO6LiYD848OKGJLlfti6+OjBVlJWfP3LCx2NAT64cL8gcZfApa/qm1cUkv"
    "Kc/ZU35hjDHEdEc3Qt0SDeShDZFzWhvIw6HBKbOoUynh855roqxOn0LDOMQ392LMCPJ4aABsnEadPs70Z17DaIZT5sSMEERZL623"
    "xd7TxxSXNVoWpWKnpV76X7iswi0lXkrqBlV87wX9S2g5JYU5xOfsF8V9tdxfg1NHSrgmmpqX4ivuUjYGLyCAgiISDBk9rUk9Z7Gt"
    "OcoGmJrdzQDEATKvVvkMSzyVdKDE/rUFZgNIVSM8AHFzQllfni1AGTAxQshgRATLXxWMqYhT1jf8rrH4xjFisCYPErMBVMk7HKDx"
    "OO37Uhu9qxwhWwxADYYNoeYAGx4fVgZQyuHuGJVNFuDFc1MHYNKxVPgVBYZT0dIEIWVSyVAqTRhaAAAAc3RhdHVhcnkgc25hcHNo"
    "b3QsIHNoYTI1NiBjNzJjNTJlY2FkMTIxYzA0NzFjMjU5YTY0YzY4ODUxMWJiNDBiYzQ1MTg4OTYxNmQzZjgxZWI3NGQ5YTlmYjM3"
)


def copied_in_place(location: str) -> None:
    copy_snapshot(location, Path(location))


@pytest.mark.slow
def test_hinted_commands_convert_tar_zst_snapshot(tmp_path: Path) -> None:
    for program in ("tar", "zstd"):
        require_program(program, install=".ci/install-archivers")
    old = tmp_path / "old.tar.zst"
    old.write_bytes(OLD_FORM)
    for read in (verify_snapshot, open_site, copied_in_place):
        with pytest.raises(
            PublishingError, match="format of snapshots that statuary no longer reads"
        ) as refused:
            read(str(old))
        assert "`tar --zstd -xf`" in refused.value.hint
    (tmp_path / "out").mkdir()
    subprocess.run(["tar", "--zstd", "-xf", old, "-C", tmp_path / "out"], check=True)
    copy_snapshot(str(tmp_path / "out"), tmp_path / "new.zip")
    assert (tmp_path / "new.zip").read_bytes() == made(tmp_path / "site.zip", tiny_documents()).read_bytes()


def test_renamed_tar_zst_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "old.zip").write_bytes(OLD_FORM)
    for read in (verify_snapshot, open_site):
        with pytest.raises(DamagedSnapshotError, match="is not a snapshot"):
            read(str(tmp_path / "old.zip"))
