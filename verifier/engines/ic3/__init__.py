"""IC3, or property directed reachability: proofs for all depths, clause by clause.

Bradley 2011, doi:10.1007/978-3-642-18275-4_7; Een, Mishchenko and Brayton 2011,
doi:10.5555/2157654.2157675. ``search`` is the loop; it speaks of integers only: state bits are the
variables 1, 2, …, a *cube* is a conjunction of literals over them, and the clause of a cube its negation.
"""
