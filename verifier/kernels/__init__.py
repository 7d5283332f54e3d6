"""A small library in C for long explorations, compiled on the user's machine and kept.

It does what ``explicit`` does by NumPy: it evaluates compiled terms, makes successors and puts new states
into the table. It is one program for all protocols: the statements of a protocol are data. Where there is no
compiler, or the library cannot be trusted, there is none, and NumPy does all.

Another library answers IC3's queries (``query_functions``). Without it, MiniSat does.
"""
