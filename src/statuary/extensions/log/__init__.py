"""The transparency log of a site: what was published, and when."""
