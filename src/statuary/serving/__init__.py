"""Look-up rules, the local server, and a published site as Python objects."""
