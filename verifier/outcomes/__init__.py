"""Outcomes of runs, as plain data: the run, its JSON object, its rows, and its expectations."""
