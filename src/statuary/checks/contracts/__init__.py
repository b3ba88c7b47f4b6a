"""The proof of contract records: every claim a record makes that its own bytes can confirm or contradict."""
