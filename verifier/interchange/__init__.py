"""Transition systems in the formats of other model checkers: SMT-LIB 2, VMT-LIB, BTOR2 and AIGER."""
