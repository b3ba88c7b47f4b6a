"""`statuary build`: check the content and publish the site into a folder."""

import os
from itertools import islice
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
from statuary.cli.options.execution_options import execution_options, open_executor
from statuary.cli.options.log_options import log_key_option
from statuary.content.git_state import GitQuery
from statuary.publishing.safe_path import OWN_FOLDER

MANY_CONTRACTS = 500
"""Record files from which on a first build starts its workers immediately; smaller builds do not need them."""


def has_many_contracts(content: Path) -> bool:
    """Say whether the folder of a chain has many entries, without reading them all."""
    return any(_has_many(chain) for chain in (content / "contracts").glob("*/"))


def _has_many(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return sum(1 for _ in islice(entries, MANY_CONTRACTS)) == MANY_CONTRACTS


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
def build_command(
    content: Path, out: Path, workers: int | None, engine: str, scheduler: str | None, **build_options: Any
) -> None:
    """Check the content and publish the site into a folder.

    Nothing is published if the content has errors. A record that fails a check is withheld and the rest is published
    (`contracts: {publish: all}` in site.yaml publishes it, marked as rejected). Unchanged files are kept, obsolete
    files that statuary wrote are removed, and files of others are never touched.
    """
    refuse_overlapping_folders(content, out)
    git = GitQuery(content)
    with open_executor(workers, engine, scheduler) as executor:
        if not (out / OWN_FOLDER).exists() and has_many_contracts(content):
            executor.start_early()
        # git and workers begin on other cores while this one imports everything that a build needs
        from statuary.cli.run_build import BuildOptions, run_build

        run_build(content, out, git, executor, BuildOptions(**build_options))
