"""The version of statuary."""

VERSION = "0.1.0"
