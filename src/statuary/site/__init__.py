"""URLs, documents, settings and the rendering of pages, for every part of a site."""
