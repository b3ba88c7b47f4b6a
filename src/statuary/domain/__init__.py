"""What things are and what follows from them: pure values and functions, no files, no clock."""
