"""Proofs for all constants at once: the definition read with its constants and quantifiers kept."""
