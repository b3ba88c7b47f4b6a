"""A deployment is held to both APIs over HTTP."""
