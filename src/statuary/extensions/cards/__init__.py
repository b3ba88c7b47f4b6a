"""Cards: the pictures that other sites show for a link."""
