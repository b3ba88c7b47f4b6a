"""`statuary merge-records`: merge what two people added to the same record."""

from pathlib import Path

import click

from statuary.cli.escape import escape_control_chars, print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import FILE, content_option
from statuary.source.edit_files import EditError
from statuary.source.git_merge import install_merge_driver, merge_files, stage_merged_text, unmerged_records
from statuary.source.merge_yaml import MergeConflictError, merge_yaml
from statuary.system.writing import atomic_file


@click.command("merge-records")
@click.argument("versions", metavar="[BASE OURS THEIRS]", type=FILE, nargs=-1)
@content_option
@click.option(
    "--install",
    is_flag=True,
    help="Configure this git clone to run `statuary merge-records` on conflicts, and write .gitattributes for other clones.",
)
def merge_records_command(
    versions: tuple[Path, ...],
    content: Path,
    install: bool,
) -> ExitCode:
    """Merge what two people changed in the same content file.

    Without arguments, the command resolves conflicts that git left in the content folder. It keeps the updates of
    both people. If both changed the same value, it leaves the file to you.

    Git itself calls the command with three versions of a file.
    """
    if install:
        click.echo(f"wrote {install_merge_driver(content)}; git merges records by itself in this clone")
        return ExitCode.OK
    if not versions:
        return _resolve_conflicts(content)
    if len(versions) != 3:
        raise click.UsageError("name three files: the BASE, OURS and THEIRS versions of the record")
    base, ours, theirs = versions
    merged = merge_files(base, ours, theirs)
    with atomic_file(ours) as stream:
        stream.write(merged.encode("utf-8"))
    return ExitCode.OK


def _resolve_conflicts(content: Path) -> ExitCode:
    if not content.is_dir():
        raise EditError(f"there is no content folder {str(content)!r}", "choose it with --content")
    conflicts, code = list(unmerged_records(content)), ExitCode.OK
    for conflict in conflicts:
        try:
            merged = merge_yaml(conflict.base, conflict.ours, conflict.theirs)
        except MergeConflictError as error:
            print_error(EditError(f"{conflict.file}: {error}", "edit the file, then run `git add` on it"))
            code = ExitCode.FINDINGS
        else:
            stage_merged_text(conflict.file, merged)
            click.echo(f"merged {escape_control_chars(str(conflict.file))}")
    if not conflicts:
        click.echo(f"no conflicts in {escape_control_chars(str(content))}")
    return code
