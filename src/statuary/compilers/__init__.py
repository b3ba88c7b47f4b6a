"""Run solc and Vyper, with limits on time, memory and output."""
