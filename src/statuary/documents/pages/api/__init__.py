"""What is served besides pages: every endpoint with a live example, and the reference."""
