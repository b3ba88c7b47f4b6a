"""The documents of the contract look-up."""
