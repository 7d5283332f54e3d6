"""Lemmas that are kept before IC3 begins: all that can be, or nothing if no lemma and no property is."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from verifier.engines.inductive_step import InductiveSet, largest_inductive
from verifier.engines.provers import find_inductive_lemmas
from verifier.runs.loading import load
from verifier.specs.titles import TYPED
from verifier.symmetry.instance_orbits import instance_representatives
from verifier.system.model import Model
from verifier.system.model import build as build_model

ASKED = {"pulsar-compaction": "CompactionHorizonCorrectness", "exactly-once-atomic": "Safety"}


def with_lemmas(model: Model, share: float, seed: int) -> Model:
    """The model with some of its lemmas."""
    chance = random.Random(seed)
    few = tuple(lemma for lemma in model.system.lemmas if chance.random() < share)
    return replace(model, system=replace(model.system, lemmas=few))


def everything_kept(model: Model, name: str) -> InductiveSet:
    """The largest inductive set, whatever is in it."""
    system = model.system
    formulas = {TYPED: system.valid} | {lemma.name: lemma.formula for lemma in system.lemmas}
    goals = dict.fromkeys((*(prop.name for prop in system.implied), name))
    formulas |= {goal: system.property_named(goal).formula for goal in goals}
    instances = instance_representatives(model.definition, system)
    return largest_inductive(system, formulas, instances, "cadical", (TYPED, *goals))


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ASKED)
def test_all_that_can_be_kept_is_or_nothing(spec: str) -> None:
    name, model, seen = ASKED[spec], build_model(load(spec, {}).definition), set[tuple[bool, bool]]()
    for seed in range(12):
        few = with_lemmas(model, (0.0, 0.3, 0.7, 1.0)[seed % 4], seed)
        every = set(everything_kept(few, name).names)
        wanted = {name, *(lemma.name for lemma in few.system.lemmas)}
        kept = set(find_inductive_lemmas(few, name).names)
        assert kept == (every if wanted & every else set())
        seen.add((bool(kept), bool(wanted - every)))
    assert seen >= {(True, True), (False, True)}
