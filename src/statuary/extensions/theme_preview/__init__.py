"""A page with every part of pages in every state, for those who write a theme."""
