"""What a client of the site gets: look-up rules, the local server, and a published site as Python objects."""
