"""The common part of both BookKeeper protocols: constants, metadata, fragments, ensembles, and what bookies
have.

The fragments of a ledger are a map from a fragment's first entry to its ensemble, empty where no
fragment begins. The original keeps a sequence of records; both say the same, since a fragment begins
later than those before it, and its number is its place.
"""

from __future__ import annotations

from typing import TypeAlias

from verifier.encodings.collection_values import SetValue
from verifier.encodings.declared import Element, Formula, Integer, variable
from verifier.encodings.expressions import Value, literal, record, set_of
from verifier.encodings.quantifiers import all_of, choose, comprehension, count, forall, function, if_
from verifier.encodings.sorts import Boolean, Enum, Function, Option, Range, Record, Set, Sort
from verifier.encodings.values import FunctionValue, OptionValue
from verifier.specs.protocol import (
    ChoiceConstant,
    IndexSetConstant,
    IntegerConstant,
    Lane,
    Protocol,
    State,
    invariant,
    type_invariant,
)

LEDGER_STATUS = Option(Enum("ledger status", ("OPEN", "IN_RECOVERY", "CLOSED")))
METADATA_LANE = Lane("metadata", ("meta_status", "meta_fragments", "meta_last_entry", "meta_version"))

Ensembles: TypeAlias = FunctionValue[Integer, SetValue[Element]]
"""A set of bookies for each entry."""


def empty_value(sort: Sort) -> Value:
    """The value of which every part is none, zero or empty."""
    if isinstance(sort, Function):
        return function(empty_value(sort.range) for key in sort.domain)
    made: Value
    if isinstance(sort, Record):
        made = record(sort, **{name: empty_value(part) for name, part in sort.fields})
    elif isinstance(sort, Range):
        made = literal(sort, 0)
    elif isinstance(sort, Set):
        made = literal(sort, frozenset())
    else:
        made = literal(sort, None if isinstance(sort, Option) else sort.default)
    return made


class LedgerState(State):
    """The metadata of the ledger, and the bookies."""

    def __init__(self, ledger: Ledger) -> None:
        self.meta_status = variable(LEDGER_STATUS)
        self.meta_fragments = variable(ledger.fragments)
        self.meta_last_entry = variable(Range(0, ledger.send_limit))
        self.meta_version = variable(ledger.versions)
        self.b_entries = variable(Function(ledger.bookies, Function(ledger.ids, Option(ledger.ids))))
        self.b_fenced = variable(Set(ledger.bookies))
        self.b_lac = variable(Function(ledger.bookies, ledger.lacs))


class Ledger(Protocol, camel_case=True):
    """One ledger, replicated on bookies."""

    bookies = IndexSetConstant(3, "bookies that can store entries", kind="bookie")
    write_quorum = IntegerConstant(3, "bookies that an entry is sent to", minimum=1)
    ack_quorum = IntegerConstant(2, "bookies that must have an entry to commit it", minimum=1)
    send_limit = IntegerConstant(1, "entries that are sent", minimum=1)
    ensemble_choice = ChoiceConstant(
        "first", "which valid ensemble is taken: the first in order, or any", choices=("first", "any")
    )
    losses = ChoiceConstant(
        "any", "messages lost: any, at most one at a time, or none", choices=("any", "one", "none")
    )

    LOSS = Boolean()

    def assumptions(self) -> list[tuple[bool, str]]:
        return [
            (self.ack_quorum <= self.write_quorum, "ack_quorum <= write_quorum"),
            (self.write_quorum <= self.bookies.size, "write_quorum <= bookies"),
        ]

    def symmetric(self, constant: str) -> bool:
        """Taking the first of several ensembles tells bookies apart."""
        return constant != "bookies" or not self.is_first_taken

    @property
    def is_first_taken(self) -> bool:
        """True if the order of ensembles matters; of one ensemble alone there is no choice."""
        return self.ensemble_choice == "first" and self.write_quorum < self.constants["bookies"]

    # Sorts

    @property
    def ids(self) -> Range:
        """The entries; an entry's content is a number too, that of its place when it was first sent."""
        return Range(1, self.send_limit)

    @property
    def next_ids(self) -> Range:
        """The entries where a fragment can begin, and that can be read: one beyond the last as well."""
        return Range(1, self.send_limit + 1)

    @property
    def lacs(self) -> Range:
        """The possible last confirmed entries when an entry is sent: those before it."""
        return Range(0, self.send_limit - 1)

    @property
    def versions(self) -> Range:
        """The versions of the metadata."""
        raise NotImplementedError

    @property
    def ensembles(self) -> Set[Element]:
        """Sets of bookies, as ensembles and as the receivers that a message does not reach."""
        return Set(self.bookies)

    @property
    def fragments(self) -> Function[Integer, SetValue[Element]]:
        """The ensemble of the fragment that begins at an entry."""
        return Function(self.next_ids, self.ensembles)

    def init(self, s: LedgerState) -> Formula:
        """Nothing was done or sent: all is none, zero or empty."""
        return all_of(*(getattr(s, v.name) == empty_value(v.sort) for v in s.symbols))

    # Fragments and ensembles

    def fragment_of_entry(self, fragments: Ensembles, entry: Integer | int) -> SetValue[Element]:
        """The ensemble of the last fragment that begins at the entry or before it."""

        def begins(first: Integer) -> Formula:
            return (first <= entry) & ((first == 1) | ~fragments[first].is_empty)

        return fragments[comprehension(first for first in self.next_ids if begins(first)).maximum]

    def last_fragment(self, fragments: Ensembles) -> SetValue[Element]:
        """The ensemble of the last fragment."""
        return fragments[self.last_first_entry(fragments)]

    def last_first_entry(self, fragments: Ensembles) -> Integer:
        """The entry where the last fragment begins; the first one begins at the first entry."""
        return comprehension(
            first for first in self.next_ids if (first == 1) | ~fragments[first].is_empty
        ).maximum

    def is_valid_ensemble(
        self,
        s: LedgerState,
        ensemble: SetValue[Element],
        include: SetValue[Element],
        exclude: SetValue[Element],
    ) -> Formula:
        return (
            (ensemble.cardinality == self.write_quorum)
            & (ensemble & exclude).is_empty
            & (include <= ensemble)
            & forall(s.meta_fragments[first] != ensemble for first in self.next_ids)
        )

    def selects_ensemble(
        self,
        s: LedgerState,
        ensemble: SetValue[Element],
        include: SetValue[Element],
        exclude: SetValue[Element],
    ) -> Formula:
        """The ensemble is one of those that may be taken, or the first of them."""

        def is_valid(candidate: SetValue[Element]) -> Formula:
            return self.is_valid_ensemble(s, candidate, include, exclude)

        is_taken = ensemble == choose(self.ensembles, is_valid) if self.is_first_taken else True
        return is_valid(ensemble) & is_taken

    @property
    def nobody(self) -> SetValue[Element]:
        """No bookies."""
        return set_of(self.bookies)

    def has_quorum_coverage(self, group: SetValue[Element], cohort_size: Integer | int) -> Formula:
        """So many of a cohort that too few for an ack quorum are left."""
        return group.cardinality >= cohort_size - self.ack_quorum + 1

    # What bookies have

    def stored_value(self, s: LedgerState, bookie: Element, entry: Integer) -> OptionValue[Integer]:
        """The bookie's value of this entry; no bookie has the one after the last."""
        return if_(entry <= self.send_limit, s.b_entries[bookie][entry], None)

    def is_stored(self, s: LedgerState, bookie: Element, entry: Integer) -> Formula:
        return self.stored_value(s, bookie, entry).is_some

    # Properties

    @type_invariant(name="TypeOK")
    def type_ok(self, s: LedgerState) -> Formula:
        """All of it is in the sorts."""
        return all_of()

    @invariant(name="AllCommittedEntriesReachAckQuorum")
    def all_committed_entries_reach_ack_quorum(self, s: LedgerState) -> Formula:
        """Once the ledger is closed, each of its entries is on an ack quorum of its ensemble."""

        def is_reached(entry: Integer) -> Formula:
            ensemble = self.fragment_of_entry(s.meta_fragments, entry)
            return count(self.is_stored(s, b, entry) for b in ensemble) >= self.ack_quorum

        return (s.meta_status == "CLOSED").implies(
            forall(is_reached(e) for e in self.ids if e <= s.meta_last_entry)
        )

    @invariant(name="NoOutOfOrderEntries")
    def no_out_of_order_entries(self, s: LedgerState) -> Formula:
        """Every entry stored is the one that was first sent as that entry."""
        return forall(
            s.b_entries[b][e].is_none | (s.b_entries[b][e] == e) for b in self.bookies for e in self.ids
        )
