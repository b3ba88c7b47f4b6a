"""A build: read a site, check it, make its documents, publish them."""
