"""The states of complete levels in a folder, from which a search continues."""
