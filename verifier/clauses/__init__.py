"""Boolean terms as clauses or as text for solvers, and the frames of an execution."""
