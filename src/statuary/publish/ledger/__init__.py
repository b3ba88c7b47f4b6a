"""The ledger: which source made which file of a site."""
