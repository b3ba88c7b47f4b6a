"""The transparency log of a site: read, extended, and kept from being rewritten."""
