"""Configuration of hosts, made from the URL table."""
