"""The version of statuary."""

VERSION = "0.2.0"
