"""States enumerated rather than solved for: boolean terms compiled to NumPy, states as packed bits.

Two forms of many states stand side by side. As *rows*, each state is a few 64-bit words: these are
kept, compared and hashed. As *slices*, each state bit is an array in which bit *j* of word *w* belongs
to state ``64 w + j``: on these the terms are evaluated, 64 states at a time per machine word.
"""
