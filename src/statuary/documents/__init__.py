"""From the catalogue to documents: one folder per family, one table of URLs, one door for JSON bytes."""
