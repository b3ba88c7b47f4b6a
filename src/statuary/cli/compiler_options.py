"""The options that say which compilers there are."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from statuary.compilers.compiler import PROGRAMS, Compiler, CompilerError, compilers_on_path, detect_compiler

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def compiler_option(function: Decorated) -> Decorated:
    """Add `--compiler`, given as `KIND=PATH` texts in `compiler`."""
    return click.option(
        "--compiler",
        multiple=True,
        metavar="KIND=PATH",
        help="A compiler: solc=PATH (solc, or npm's solcjs) or vyper=PATH; give one for each version "
        "(repeatable). Default: what is on PATH.",
    )(function)


def parse_compilers(given: Iterable[str]) -> list[Compiler]:
    """Return the compilers that `--compiler` names, each asked for its version; without any, those on `PATH`.

    Raises:
        click.BadParameter: if one is not `KIND=PATH`, or does not tell a version.
    """
    return [_compiler(text) for text in given] or compilers_on_path()


def _compiler(text: str) -> Compiler:
    kind, equals, path = text.partition("=")
    if not equals or kind not in PROGRAMS or not path:
        raise click.BadParameter(
            f"{text!r} is not KIND=PATH with a kind of {' or '.join(PROGRAMS)}", param_hint="--compiler"
        )
    try:
        return detect_compiler(kind, Path(path))
    except CompilerError as failed:
        raise click.BadParameter(str(failed), param_hint="--compiler") from None


def hands() -> int:
    """Return how many compilers run at a time: one for each core that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1
