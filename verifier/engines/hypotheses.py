"""Proved properties as assumptions of later proofs.

A hypothesis is the invariant of a checked proof. It is inductive by itself, so it may be assumed in every
state. A property proved under it gets an invariant of its own: the conjunction of both. So no two proofs
depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pysmt.fnode import FNode

from verifier.encodings.bits import conjunction
from verifier.engines.ic3.cubes import images
from verifier.symmetry.bit_permutations import Permutation, bit_permutations
from verifier.system.model import Model
from verifier.trust.certificate import Certificate, Literal, formulas


def hypothesis(model: Model, certificate: Certificate) -> Certificate | None:
    """The invariant of a checked proof, its property among the lemmas; None if it is not inductive in single
    steps.

    Its clauses have all their images: an image of an inductive set is inductive, and IC3 adds the images of
    its own clauses without a query. The property is among its lemmas, unless permutations change that.
    """
    if certificate.k > 1:
        return None
    permutations = _permutations(model, certificate)
    lemmas = dict.fromkeys((*certificate.lemmas, certificate.property_name))
    named = replace(certificate, lemmas=tuple(lemmas))
    if set(_permutations(model, named)) == set(permutations):
        certificate = named
    return replace(certificate, clauses=_with_images(model, certificate.clauses, permutations))


def _permutations(model: Model, certificate: Certificate) -> list[Permutation]:
    """The permutations of bits that leave the lemmas of a certificate as they are."""
    return bit_permutations(model, formulas(model, replace(certificate, clauses=())).values())


def keep_unchanged(
    model: Model,
    hypotheses: Iterable[Certificate],
    permutations: Sequence[Permutation],
    known: Sequence[FNode],
) -> list[Certificate]:
    """The hypotheses that permutations do not change, which leave known formulas as they are."""
    return [
        one
        for one in hypotheses
        if set(bit_permutations(model, (*known, conjoin_invariant(model, one)))) == set(permutations)
    ]


def _with_images(
    model: Model, clauses: Sequence[tuple[Literal, ...]], permutations: Sequence[Permutation]
) -> tuple[tuple[Literal, ...], ...]:
    if not clauses:
        return ()
    names = [symbol.symbol_name() for symbol in model.system.bits]
    number = {name: index for index, name in enumerate(names, 1)}
    numbered = [[number[name] if positive else -number[name] for name, positive in c] for c in clauses]
    moved = (sorted(image, key=abs) for clause in numbered for image in images(clause, permutations))
    distinct = dict.fromkeys(map(tuple, moved))
    return tuple(tuple((names[abs(v) - 1], v > 0) for v in clause) for clause in distinct)


def usable(model: Model, hypotheses: Iterable[Certificate], name: str) -> tuple[Certificate, ...]:
    """Return the hypotheses whose formulas mean the same in a proof of that property. ``UndefinedRead`` may
    differ: it includes the reads of the property itself."""

    def means_the_same(certificate: Certificate) -> bool:
        other = formulas(model, replace(certificate, property_name=name))
        return all(other[part] is formula for part, formula in formulas(model, certificate).items())

    return tuple(c for c in hypotheses if c.property_name != name and means_the_same(c))


def conjoin_invariant(model: Model, hypothesis: Certificate) -> FNode:
    """The whole invariant as one formula."""
    return conjunction(formulas(model, hypothesis).values())


def with_hypotheses(certificate: Certificate, used: Sequence[Certificate]) -> Certificate:
    """Return the certificate of a proof under hypotheses: their conjuncts and its own."""
    lemmas = dict.fromkeys((*certificate.lemmas, *(name for each in used for name in each.lemmas)))
    clauses = {frozenset(c): c for each in (*used, certificate) for c in each.clauses}
    single = {name for each in used for name in each.lemmas} if certificate.k > 1 else ()
    return replace(
        certificate,
        lemmas=tuple(lemmas),
        clauses=tuple(clauses.values()),
        single_steps=tuple(name for name in certificate.lemmas if name in single),
    )
