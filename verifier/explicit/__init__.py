"""Enumeration of states without a solver: boolean terms compiled to NumPy, states as packed bits.

A set of states has two forms. As *rows*, each state is a few 64-bit words; the table of states keeps,
compares and hashes rows. As *slices*, each state bit is an array in which bit *j* of word *w* belongs to
state ``64 w + j``; the compiled terms are evaluated on slices, 64 states at a time per machine word.
"""
