"""Permutations of interchangeable elements: what they make of instances and of state bits."""
