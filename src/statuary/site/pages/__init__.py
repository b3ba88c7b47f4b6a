"""The frame of every page: templates, theme, texts, styles and scripts."""
