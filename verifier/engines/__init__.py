"""The engines. Each decides properties of a transition system and returns verdicts; none prints."""
