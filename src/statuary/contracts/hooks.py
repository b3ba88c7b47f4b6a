"""The questions that contracts ask of other sections."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statuary.contracts.incremental.build_settings import RecordRecompiler


class RecompilesRecords:
    """A section that compiles the sources of contracts again."""

    def recompiler(self) -> "RecordRecompiler":
        """Return the compilers that worker processes use to compile sources again.

        Raises:
            click.UsageError: if the extension's options exclude each other.
        """
        raise NotImplementedError
