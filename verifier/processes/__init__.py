"""Work in child processes, each with a clock and a memory limit that kill."""
