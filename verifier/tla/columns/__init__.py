"""Exploration of levels by columns. Variables are numbers of their values, and each part of a formula is
evaluated once for the numbers that it reads."""
