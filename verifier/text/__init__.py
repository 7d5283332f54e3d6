"""A run as text for a terminal: verdicts, executions, proofs, counts."""
