"""Checks by the names that `--skip` and `--only` take."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

import click

from statuary.build.check_options import CheckOptions
from statuary.checks.contracts.prove import CONTRACT_CHECKS
from statuary.checks.rule_catalogue import PROOF, STATUS, all_rules


def select_checks(skip: Iterable[str], only: Iterable[str], *, strict: bool) -> CheckOptions:
    """Return how strictly a site is judged without the checks that are skipped, or by those named alone.

    Raises:
        click.BadParameter: if a name is no check's.
    """
    skippable = {rule.name: rule.group for rule in all_rules() if rule.group in (PROOF, STATUS)}
    skipped, wanted = _named(skip, skippable, "--skip"), _named(only, skippable, "--only")
    left_out = skipped | (skippable.keys() - wanted if wanted else set())
    return CheckOptions(
        checks=tuple(check for check in CONTRACT_CHECKS if check.name not in left_out),
        skipped=frozenset(left_out),
        strict=strict,
    )


def _named(names: Iterable[str], skippable: Mapping[str, str], option: str) -> set[str]:
    found: set[str] = set()
    for name in names:
        if name in (PROOF, STATUS):
            found.update(rule for rule, group in skippable.items() if group == name)
        elif name in skippable:
            found.add(name)
        else:
            raise click.BadParameter(_unknown(name, skippable), param_hint=option)
    return found


def _unknown(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, [*known, PROOF, STATUS], 1)
    if close:
        return f"there is no check {name!r}; did you mean {close[0]!r}?"
    if any(rule.name == name for rule in all_rules()):
        return f"{name!r} is a rule of the content's form, which always holds"
    return f"there is no check {name!r}; see `statuary check --list`"
