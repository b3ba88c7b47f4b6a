"""What must hold: tables of named functions from the catalogue to findings."""
