"""The proof of contract records: every claim that a record's own bytes can confirm or contradict."""
