"""IC3, or property directed reachability: proofs for all depths, clause by clause.

Bradley 2011, doi:10.1007/978-3-642-18275-4_7; Een, Mishchenko and Brayton 2011,
doi:10.5555/2157654.2157675. Names are those of these papers:

- A *cube* is a conjunction of literals over the state bits; the clause of a cube is its negation.
- *Frame* i is a set of clauses that hold in every state within i actions; the *frontier* is the last frame.
- A query of *relative induction* asks whether a cube's clause holds after every step from a state of the
  frame below that satisfies the clause. If so the cube is *blocked*; if not it has a *predecessor*.
- *Inductive generalisation* drops literals from a blocked cube.
- *Predecessor generalisation*, or lifting, drops literals from a predecessor.
- A *proof obligation* is a cube that must be blocked at a frame, because its states lead to a bad state.
- *Propagation* moves clauses to later frames. If a frame loses no clause to the next, it is a *fixpoint*.
- A *counterexample* to generalisation or propagation is the predecessor that prevents it. It is blocked, too,
  if it can be. *Known steps* are those from predecessors found before; they answer queries, too.

The modules speak of integers only: state bits are the variables 1, 2, …
"""
