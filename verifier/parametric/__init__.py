"""Proofs for all constants at once: the definition is read with its constants and quantifiers kept."""
