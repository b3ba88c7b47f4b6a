"""The section that compiles contracts again."""

from collections.abc import Iterable, Mapping
from typing import Any

import click
from typing_extensions import override

from statuary.base.cpus import available_cpus
from statuary.base.findings import Rule
from statuary.contracts.hooks import RecompilesRecords
from statuary.contracts.incremental.build_settings import RecordRecompiler
from statuary.extensions.compilers.options import parse_compilers
from statuary.extensions.compilers.recompilation import RULES
from statuary.extensions.compilers.recompile import RecompileOptions, recompile_contracts
from statuary.extensions.compilers.recompile_in_build import find_build_compilers
from statuary.section import Run, Section, SectionResult


class RecompilationSection(Section, RecompilesRecords):
    """The section that compiles contracts again, for `--recompile`.

    `check` compiles every contract of the site. A build compiles each record when it proves it.
    """

    @override
    @classmethod
    def rules(cls) -> Iterable[Rule]:
        """Return the rules about contracts that are compiled again."""
        return RULES

    def __init__(self, settings: None, options: Mapping[str, Any]) -> None:
        """Store the options of the command.

        Raises:
            click.UsageError: if --compiler is given without --recompile.
        """
        super().__init__(settings, options)
        if not options["recompile"]:
            raise click.UsageError("--compiler requires --recompile")

    @override
    def recompiler(self) -> RecordRecompiler:
        """Find the compilers with which a build checks contract records."""
        return find_build_compilers(self.options["compiler"])

    @override
    def check(self, run: Run) -> SectionResult | None:
        """Compile all contracts again, and compare the results with their records.

        Returns:
            The differences; None if the content cannot be read.
        """
        if run.root is None or run.site is None:
            return None
        compilers = parse_compilers(self.options["compiler"])
        options = RecompileOptions(compilers=compilers, workers=available_cpus())
        report = recompile_contracts(run.root, run.site, options, run.progress)
        return SectionResult(
            findings=report.findings,
            line=f"{report.compiled:,} of {report.records:,} records compiled again, {report.identical:,} of them identical",
        )
