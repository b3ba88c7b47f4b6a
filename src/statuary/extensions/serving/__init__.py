"""A built site answered over HTTP, as a host would answer it, and looked up from Python."""
