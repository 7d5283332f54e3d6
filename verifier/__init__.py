"""A bounded model checker for replication protocols.

Importing this package loads nothing heavy: solvers, term libraries and renderers are imported
by the modules that need them, so that light commands stay light.
"""
