"""TLA+ modules as protocols with quantifiers kept, for proofs at all constants.

The module's text becomes a class like those that authors write in Python (``protocol_classes``). Its sorts
come from the module's own type invariant (``type_invariants``). An expression without a rule is refused, with
its place.
"""
