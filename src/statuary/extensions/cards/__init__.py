"""Cards: preview pictures that other sites show with a link."""
