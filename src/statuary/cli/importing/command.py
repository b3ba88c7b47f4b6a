"""`statuary import KIND SOURCE`: what other systems have, as content."""

import click

from statuary.cli.importing.contract_kinds import CONTRACT_COMMANDS
from statuary.cli.importing.status_kinds import STATUS_COMMANDS


@click.group()
def command() -> None:
    """Bring what you have elsewhere into the content folder.

    An import adds what is new and touches nothing else: run it again to bring what has come since. It ends with a
    report of what it could not bring.
    """


for one in (*STATUS_COMMANDS, *CONTRACT_COMMANDS):
    command.add_command(one)
