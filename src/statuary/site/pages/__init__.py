"""The frame of every page: templates, theme, strings, styles and scripts."""
