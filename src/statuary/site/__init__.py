"""URLs, documents, settings and page rendering that all parts share."""
