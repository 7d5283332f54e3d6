"""Engines on TLA+ modules: which semantics answers, sorts that are guessed and refined, replay, symmetry."""
