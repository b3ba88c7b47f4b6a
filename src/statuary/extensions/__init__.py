"""What a site can do without: a folder each, with its commands, limits and texts. The core imports none of them."""
