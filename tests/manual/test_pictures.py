"""The pictures of README and the manual show the present design."""

from support.design import FOLDERS, PACKAGE, RECORDED, design_digest


def test_manual_pictures_match_current_design() -> None:
    assert RECORDED.read_text("ascii").strip() == design_digest(), (
        "the templates or styles have changed since the pictures were made; make them again with "
        "`PYTHONPATH=tests python tests/support/regenerate.py pictures`"
    )


def test_design_digest_covers_templates_and_styles() -> None:
    assert sum(len(list((PACKAGE / folder).glob("*.*"))) for folder in FOLDERS) > 30
