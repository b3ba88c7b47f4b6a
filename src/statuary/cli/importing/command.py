"""`statuary import KIND SOURCE`: contracts and status pages of other systems into content."""

import click

from statuary.cli.importing.contract_kinds import CONTRACT_COMMANDS
from statuary.cli.importing.status_kinds import STATUS_COMMANDS


@click.group()
def import_command() -> None:
    """Import contracts and status pages from other systems into the content.

    An import only adds what is new: run it again to import what has been added since. It ends with a
    report of what it could not import.
    """


for one in (*STATUS_COMMANDS, *CONTRACT_COMMANDS):
    import_command.add_command(one)
