"""Permutations of interchangeable elements: the images of instances and of state bits."""
