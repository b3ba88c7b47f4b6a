"""`python -m statuary`, and the `statuary` command."""


def main() -> None:
    """Run the command line and exit with its code."""
    from statuary.cli.main import command

    command(prog_name="statuary")


if __name__ == "__main__":
    main()
