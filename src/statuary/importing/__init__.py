"""Contracts from the files of compilers and tool chains, and from Ethereum nodes, into the content folder."""
