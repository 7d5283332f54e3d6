"""Proofs for all constants at once: the definition is read with its constants and quantifiers kept.

Source: Padon et al. 2016, doi:10.1145/2908080.2908118, prove protocols by first-order invariants and two-
state steps.
"""
