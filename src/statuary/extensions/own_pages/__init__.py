"""Pages of the site's own: Markdown with a sidebar, a search, and blocks of code."""
