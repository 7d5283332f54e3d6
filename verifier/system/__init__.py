"""The transition system: what a definition becomes in bits, and the symmetry that it was found to have."""
