"""Translation validation: a translated module is compared with the interpreter on states and steps.

A proof speaks of the formula. So with each verdict that rests on the translation, both semantics are asked:
is a state initial, which states follow it, do the constraint and each property hold of it, and what is the
value of each expression? States are reached by walks of the interpreter (``walks``), drawn from the final
sorts, or given by a solver that is asked for guards and formulas (``solving``). Each reachable one also has
to satisfy the invariant of every proof.

Sources: A. Pnueli, M. Siegel, E. Singerman, "Translation validation", 1998, doi:10.1007/BFb0054170;
G. C. Necula, "Translation validation for an optimizing compiler", 2000, doi:10.1145/349299.349314.
"""
