"""The pages of contracts: a page a contract, the lists of chains, the search."""
