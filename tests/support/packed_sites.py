"""Sites with packs, built as the command builds them."""

from pathlib import Path

from statuary.base.optional import MissingExtraError
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.engine.sections import NO_OPTIONS
from statuary.extensions.packs.pack_list import LIST, PackList, parse_pack_list
from statuary.publish.folder.folder_target import FolderTarget
from statuary.system.archives import import_zstandard
from statuary.workers.executor import Executor, InProcessExecutor
from statuary.workers.options import ExecutionOptions
from support.requirements import require_module
from support.sites import NOW, files_in, site_of_many


def has_zstd() -> bool:
    """Return whether Zstandard is installed."""
    try:
        import_zstandard()
    except MissingExtraError:
        return False
    return True


def require_zstd() -> None:
    """Skip a test if Zstandard is not installed."""
    if not has_zstd():
        require_module("backports.zstd", install='pip install "statuary[zstd]"')


def packed_content(root: Path, count: int) -> Path:
    """Write a site with packs and so many contracts, and return its content folder."""
    folder = site_of_many(root, count)
    with (folder / "site.yaml").open("a") as file:
        file.write("packs: true\n")
    return folder


def build(content: Path, out: Path, *, verify: bool = False, executor: Executor | None = None) -> BuildResult:
    """Build with the stages of extensions, as the command does."""
    with FolderTarget(out) as target:
        options = ExecutionOptions(executor=executor or InProcessExecutor(), git=None, verify=verify)
        now = parse_instant(NOW)
        return build_site(content, target, now, NoProgress(), execution=options, extension_options=NO_OPTIONS)


def built_files(content: Path, out: Path, *, verify: bool = False) -> dict[str, bytes]:
    """Build, and return the files of the site."""
    assert build(content, out, verify=verify).applied
    return files_in(out)


def list_of(files: dict[str, bytes]) -> PackList:
    """Return the list of packs of a site."""
    return parse_pack_list(files[LIST], LIST)
