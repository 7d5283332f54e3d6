"""A search by several processes: one process keeps the states, and the others find their successors."""
