"""Translate a TLA+ module at its constants to a definition that every engine reads.

``shapes`` finds sorts for the values that variables had in sampled states. ``coding`` turns values of the
interpreter into values of a sort, and back. ``expressions`` translates expressions to terms; the interpreter
evaluates those that do not depend on the state. ``next_actions`` finds the actions in Next. ``definition``
makes the ``Definition``.

Source: Konnov, Kukovec and Tran 2019, doi:10.1145/3360549, who encode TLA+ for a solver by rules, too.
"""
