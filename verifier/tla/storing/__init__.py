"""Searches in files: the states of complete levels, to continue from, or because memory is too small."""
