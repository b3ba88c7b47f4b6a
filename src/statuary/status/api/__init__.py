"""The status API: documents of an instant, history, and epochs."""
