"""From content to a published folder: read, check, contracts, lists, status, publish."""
