"""`statuary build`: check the content and publish the site into a folder."""

from pathlib import Path
from typing import Any

import click

from statuary.cli.options.check_options import check_options
from statuary.cli.options.common_options import (
    content_option,
    format_option,
    now_option,
    out_option,
    refuse_overlapping_folders,
)
from statuary.cli.options.execution_options import execution_options
from statuary.cli.options.log_options import log_key_option
from statuary.content.git_state import GitQuery


@click.command()
@content_option
@out_option
@click.option(
    "--to",
    metavar="FOLDER|URL",
    help="Also publish the site elsewhere, as `statuary publish` does, for example to s3://BUCKET.",
)
@now_option
@log_key_option
@click.option("--dry-run", is_flag=True, help="Show what would change without changing it.")
@click.option("--verify", is_flag=True, help="Read every published file, and rewrite those that differ.")
@execution_options
@check_options
@format_option
def command(content: Path, out: Path, **build_options: Any) -> None:
    """Check the content and publish the site into a folder.

    Nothing is published if the content has errors. A record that fails a check is withheld and the rest is published
    (`contracts: {publish: all}` in site.yaml publishes it, marked as rejected). Unchanged files are kept, obsolete
    files that statuary wrote are removed, and files of others are never touched.
    """
    refuse_overlapping_folders(content, out)
    git = GitQuery(content)
    # git reads the content on another core while this one imports everything that a build needs
    from statuary.cli.run_build import BuildOptions, run_build

    run_build(content, out, git, BuildOptions(**build_options))
