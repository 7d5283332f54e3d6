"""Translation validation: a translated module is compared with the interpreter on states and steps.

A proof is about the formula. So for each verdict that depends on the translation, both semantics are
compared: the initial states, the successors of states, the constraint, each property, and the value of each
expression. States are reached by walks of the interpreter (``walks``), drawn from the final sorts, or found
by a solver for guards and formulas (``solving``). Each reachable state must also satisfy the invariant of
every proof.

Sources: A. Pnueli, M. Siegel, E. Singerman, "Translation validation", 1998, doi:10.1007/BFb0054170; G. C.
Necula, "Translation validation for an optimizing compiler", 2000, doi:10.1145/349299.349314.
"""
