"""Levels explored by columns: variables as numbers of their values, and each part of a formula evaluated once
for the numbers of what it reads."""
