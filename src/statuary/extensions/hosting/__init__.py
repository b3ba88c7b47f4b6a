"""Configurations of hosts: redirects, headers and the edge program."""
