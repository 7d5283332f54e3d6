"""Proofs for all constants with suggested lemmas. The properties of a run share the lemmas that are found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from verifier.engines.all_constants import AllConstantsOutcome, check, not_begun
from verifier.parametric.protocol_readings import ParametricReading
from verifier.processes.limits import Interrupted
from verifier.runs.guard_lemmas import Formula, guard_lemmas
from verifier.runs.loaded import Differs, OfModule
from verifier.runs.reading_for_all import class_of, list_small_constants, reading_of
from verifier.runs.suggesting import (
    Pair,
    choose_helping,
    find_lemmas,
    lemma_terms,
    readable,
    write_lemmas,
)
from verifier.specs.protocol import Protocol
from verifier.tla.first_order.lemma_texts import NoText
from verifier.verdict import VerdictKind

if TYPE_CHECKING:
    from verifier.encodings.terms import Term
    from verifier.runs.prove_options import ProveOptions
    from verifier.runs.question import Question

Search = Callable[[str], Sequence[Pair]]
"""Takes a property. Returns lemmas that are found for it alone."""
Choose = Callable[[str, Sequence[Pair]], Sequence[Pair]]
"""Takes a property and lemmas. Returns those with which it is proved; none if it is not."""


@dataclass
class SharedLemmas:
    """Lemmas that were found for some property, under names that differ."""

    taken: Collection[str] = ()
    """Names that mean something else."""
    formulas: dict[str, str | Formula] = field(default_factory=dict)

    def add(self, pairs: Sequence[Pair]) -> list[str]:
        """Add lemmas, each formula once. Return the names under which they are kept."""
        return [self._name(wanted, formula) for wanted, formula in pairs]

    def select(self, names: Collection[str]) -> list[Pair]:
        """Return these lemmas, always in the same order."""
        return [(name, formula) for name, formula in self.formulas.items() if name in names]

    def _name(self, wanted: str, formula: str | Formula) -> str:
        known = (name for name, other in self.formulas.items() if other == formula)
        if (name := next(known, None)) is not None:
            return name
        stem, _, place = wanted.rpartition("_")
        number, name = int(place), wanted
        while name in self.formulas or name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.formulas[name] = formula
        return name


def share_lemmas(
    properties: Sequence[str], search: Search, choose: Choose, shared: SharedLemmas
) -> dict[str, list[str]]:
    """Return the lemmas with which each property is proved, by their names; none if it is not proved.

    A property first tries the lemmas that were found before, since a search takes long. The order of the
    properties decides nothing: a property stays open only after it tried all that is found for any of them.
    """
    helping: dict[str, list[str]] = {}
    tried: dict[str, int] = {}
    searched = set[str]()

    def try_shared(name: str) -> None:
        if len(shared.formulas) > tried.get(name, 0):
            tried[name] = len(shared.formulas)
            chosen = shared.add(choose(name, list(shared.formulas.items())))
            if chosen:
                helping[name] = chosen

    def search_own(name: str) -> None:
        searched.add(name)
        own = shared.add(search(name))
        if own:
            helping.setdefault(name, own)

    for name in properties:
        try_shared(name)
        if name not in helping:
            search_own(name)
    if len(helping) < len(properties):
        for name in [one for one in properties if one not in searched]:
            search_own(name)
        for name in [one for one in properties if one not in helping]:
            try_shared(name)
    return {name: helping.get(name, []) for name in properties}


def prove_with_suggestions(
    question: Question[ProveOptions], reading: ParametricReading, outcome: AllConstantsOutcome
) -> AllConstantsOutcome:
    """Add to each open property lemmas with which it is proved. With lemmas that extend a TLA+ module it is
    proved at once. A module of lemmas that differs from what is read of it is no proof."""
    cut = [one.limit for one in outcome.attempts if not one.proved and not one.violated]
    try:
        if cut and all(cut):  # a proof without lemmas took all the time
            raise Interrupted(f"{cut[0]} before it began")
        suggested = _add_suggestions(question, reading, outcome)
        if all(suggested.statistics["suggested"].values()):
            return suggested
        outcome = suggested
        question.limits.check_time()  # an attempt that the time ended did not fail
        return suggested
    except Interrupted as stop:  # the time is over before all are found
        ended = {"suggested": {}, **outcome.statistics, "suggesting_ended": str(stop)}
        return replace(outcome, statistics=ended)
    except Differs as difference:
        failed = not_begun(question.properties, str(difference), VerdictKind.ERROR)
        return replace(failed, statistics=outcome.statistics)


def _add_suggestions(
    question: Question[ProveOptions], reading: ParametricReading, outcome: AllConstantsOutcome
) -> AllConstantsOutcome:
    open_ = [
        one.property_name
        for one in outcome.attempts
        if not one.proved and one.limit is None and not one.violated
    ]
    kind, of_module = class_of(question.loaded), question.loaded.of_module
    _, first, given, _ = list_small_constants(question.loaded)
    between, constants = _find_between(first, given), dict(reading.constants)
    guards = [] if of_module is None or not open_ else _list_writable_guards(kind, of_module, constants)

    def search(name: str) -> Sequence[Pair]:
        pairs = find_lemmas(kind, reading, name, (first, given), question.limits, guards, between)
        return pairs if of_module is None or _have_text(kind, of_module, pairs, constants) else []

    def choose(name: str, pairs: Sequence[Pair]) -> Sequence[Pair]:
        return choose_helping(kind, reading, pairs, (), name, (first, given), question.limits)

    shared = SharedLemmas(dir(kind) if of_module is None else of_module.names)
    helping = share_lemmas(open_, search, choose, shared)
    if of_module is None or not any(helping.values()):
        suggested = {name: write_lemmas(shared.select(names)) for name, names in helping.items()}
        return replace(outcome, statistics={**outcome.statistics, "suggested": suggested})
    union = shared.select({name for names in helping.values() for name in names})
    terms = lemma_terms(kind, union, constants)
    return _prove_extended(question, of_module, helping, terms, outcome)


def _find_between(first: Mapping[str, Any], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return constants between these. IC3 may need one element more than at the first to find a lemma, and be
    too slow at the given ones, or find too special lemmas there."""
    larger = {
        name: first[name] + 1 for name in first if first[name] != given[name] and first[name] < given[name]
    }
    between = {**given, **larger}
    return [] if between in (first, given) else [between]


def _list_writable_guards(
    kind: type[Protocol], of_module: OfModule, constants: dict[str, Any]
) -> list[Formula]:
    """Return candidates from guards that have a text in the module's language."""
    pairs = readable(kind, [(f"guard_{n}", one) for n, one in enumerate(guard_lemmas(kind))], constants)
    terms = lemma_terms(kind, pairs, constants)
    lemmas = []
    for (_, formula), (name, term) in zip(pairs, terms.items(), strict=True):
        with suppress(NoText):
            of_module.write_module({name: term})
            lemmas.append(formula)
    return [one for one in lemmas if not isinstance(one, str)]


def _have_text(
    kind: type[Protocol], of_module: OfModule, pairs: Sequence[Pair], constants: dict[str, Any]
) -> bool:
    """True if each lemma has a text in the module's language."""
    try:
        of_module.write_module(lemma_terms(kind, pairs, constants))
    except NoText:
        return False
    return True


def _prove_extended(
    question: Question[ProveOptions],
    of_module: OfModule,
    helping: Mapping[str, Sequence[str]],
    terms: Mapping[str, Term],
    outcome: AllConstantsOutcome,
) -> AllConstantsOutcome:
    """Prove properties of the module that extends the question's by lemmas. The module is read from its text
    and compared with the interpreter like any other. Properties that need no lemma are proved of it again, so
    that all certificates of a run are about one module."""
    text = of_module.write_module(terms)
    before = {one.property_name for one in outcome.attempts if one.proved}
    names = [name for name in question.properties if name in before or helping.get(name)]
    with of_module.extended(text, names, list(terms)) as loaded:
        assert loaded.of_module is not None
        loaded.of_module.compare(question.limits)
        there = check(reading_of(loaded), names, question.limits)
    proved = {one.property_name for one in there.attempts if one.proved}
    verdicts = {one.property_name: one for one in there.verdicts}
    attempts = {one.property_name: one for one in there.attempts}
    statistics = {
        **outcome.statistics,
        "obligations": {
            **outcome.statistics["obligations"],
            **{name: count for name, count in there.statistics["obligations"].items() if name in proved},
        },
        "open": [one for one in outcome.statistics["open"] if one["property"] not in proved],
        "suggested": {name: [text] if name in proved else [] for name in helping},
    }
    return replace(
        outcome,
        verdicts=tuple(
            verdicts[one.property_name] if one.property_name in proved else one for one in outcome.verdicts
        ),
        attempts=tuple(
            attempts[one.property_name] if one.property_name in proved else one for one in outcome.attempts
        ),
        certificates={**outcome.certificates, **there.certificates},
        statistics=statistics,
    )
