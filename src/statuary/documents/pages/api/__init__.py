"""The API page with examples, and the reference."""
