"""A TLA+ module at its constants, translated to a definition that every engine reads.

``shapes`` finds sorts for the values that variables were seen to have, and ``coding`` turns values of the
interpreter into values of a sort and back. ``expressions`` translates expressions to terms; what does not
depend on the state is evaluated. ``steps`` finds the actions in Next. ``specification`` makes a
``Definition`` of it all.
"""
