"""The options that name compilers, or compile a site's contracts again."""

from collections.abc import Iterable
from pathlib import Path

import click

from statuary.cli.options import extension_option
from statuary.extensions.compilers.compiler import (
    PROGRAMS,
    Compiler,
    CompilerError,
    compilers_on_path,
    detect_compiler,
)
from statuary.registry import COMPILER

compiler_option = extension_option(COMPILER)


def parse_compilers(option_values: Iterable[str]) -> list[Compiler]:
    """Return the compilers from `--compiler`, or else those on `PATH`.

    Args:
        option_values: the values of `--compiler`, each as `KIND=PATH`.

    Raises:
        click.BadParameter: if a value is not `KIND=PATH`, or the program prints no version.
    """
    return [_parse_compiler_option(text) for text in option_values] or compilers_on_path()


def _parse_compiler_option(option_value: str) -> Compiler:
    kind, equals, path = option_value.partition("=")
    if not equals or kind not in PROGRAMS or not path:
        raise click.BadParameter(
            f"{option_value!r} is not KIND=PATH, where KIND is {' or '.join(PROGRAMS)}",
            param_hint="--compiler",
        )
    try:
        return detect_compiler(kind, Path(path))
    except CompilerError as error:
        raise click.BadParameter(str(error), param_hint="--compiler") from None
