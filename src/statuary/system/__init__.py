"""Access to the operating system, which other packages leave to this one.

Each module opens one kind of thing, and its functions hold the rules: which root, which kind of file, how many
bytes, how much time, which variables of the environment, and what a message may quote.
"""
