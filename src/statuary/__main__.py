"""`python -m statuary`, and the `statuary` command."""

import gc


def main() -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # until `settle`: imports leave no garbage, and looking for it is a tenth of a small build
    from statuary.cli.main import command

    command(prog_name="statuary")


if __name__ == "__main__":
    main()
