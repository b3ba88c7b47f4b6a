"""A site as a sorted listing: targets, plan, ledger, manifest."""
