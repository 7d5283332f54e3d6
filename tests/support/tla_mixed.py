"""Random expressions over values of several kinds: what interpreter, translation and TLC say of each.

``python -m results.generators.tla_mixing`` compares many of them.
"""

from __future__ import annotations

import re
import signal
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from types import FrameType

from tests.support.term_values import QuickReader, TooMany, value_of
from tests.support.tla_mixed_texts import (
    ANY,
    CONSTANTS,
    EVERY,
    OPERATORS,
    VARIABLES,
    Tree,
    Values,
    Words,
    extends,
    profiles,
    state,
)
from tests.support.tla_random import interpret, translate_in_state
from tests.support.tlc_batch import Said, Tlc
from verifier.encodings.sorts import SortError, sorts_in
from verifier.encodings.terms import Term
from verifier.errors import TooLargeError, UsageError
from verifier.runs.modules.loading import formula_named, load
from verifier.runs.modules.translating import Symbolic, translate_module
from verifier.tla.exploration_result import State
from verifier.tla.order import text
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.rules import make_translator
from verifier.tla.translate.sampling import sample
from verifier.tla.translate.symbolic import Nothing, Untranslated
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import same

CONFIG = f"CONSTANTS\n{CONSTANTS}INIT Init\nNEXT Next\n"
LONGEST = 3.0
"""No expression may take longer."""
LOWERED = 20
"""The interval of expressions of which one is also read as engines read it, by the formulas of its bits."""
UNDEFINED = "undefined"
REFUSED = (
    "Attempted to compare", "Attempted to check equality", "Attempted to check if the",
    "Attempted to check set membership in", "occurs multiple times in the function domain",
    "should be a function, but instead it is: [", "SequencesExt.isPrefix(",
)  # fmt: skip
"""TLC's messages for values of kinds that it does not compare: docs/tla.md lists these kinds."""
CALM = ("equal", "refused", "untranslated", "takes too long", "TLC refuses to compare")
"""The beginnings of messages that are no fault."""


@dataclass(frozen=True)
class Difference:
    """Readers that differ on an expression in a state."""

    kind: str
    expression: Tree
    state: str
    said: dict[str, str]

    @property
    def cause(self) -> str:
        """Return the common part of differences that are alike."""
        return self.kind + re.sub(r"[0-9].*", "", self.said.get("error", ""))

    @property
    def shape(self) -> str:
        """Return the common part, and the outermost operator."""
        return self.cause + re.sub(r"([xyS])\d+", r"\1", self.expression.rule)

    def __str__(self) -> str:
        said = ", ".join(f"{who}: {what}" for who, what in self.said.items())
        return f"{self.kind}: {self.expression}\n    in {self.state}\n    {said}"


@dataclass
class Comparison:
    """Readers of expressions, and the counts of comparisons."""

    translates: bool = True
    tlc: Tlc | None = None
    found: Counter[str] = field(default_factory=Counter)

    def compare(
        self, folder: Path, expressions: Sequence[Tree], states: Sequence[dict[str, str]]
    ) -> list[Difference]:
        """The differences of expressions in some states."""
        texts = {f"E{number}": words for number, words in enumerate(expressions)}
        write(folder, texts, states)
        said = {} if self.tlc is None else self.tlc.values(folder)
        try:
            asked = translate_module(load(str(folder / "M.tla"), {}))
            if self.translates:
                asked.definition()
        except (UsageError, TooLargeError) as error:
            self.found[f"refused: {error}"[:70]] += 1
            return []
        reading = Reading(asked, said, self.translates)
        differences: dict[tuple[str, str], Difference] = {}
        for name, words in texts.items():
            for one in reading.read(name, words):
                self.found[one.kind] += 1
                if one.kind.startswith("takes too long"):  # while compiling, which leaves it undone
                    return list(differences.values())
                if not one.kind.startswith(CALM):
                    differences.setdefault((name, one.kind), one)
        return list(differences.values())


@dataclass
class Reading:
    """Reads the expressions of a module in its initial states."""

    asked: Symbolic
    said: dict[tuple[int, str], Said]
    translates: bool

    def __post_init__(self) -> None:
        self.spec, made = self.asked.loaded.specification, self.asked.translation
        symbols = dict(zip(self.spec.variables, made.variables, strict=False))
        self.translator = make_translator(self.spec.evaluator, made.names, symbols, {})
        self.shown = partial(text, order=self.spec.evaluator.order)
        self.quick = QuickReader()

    def read(self, name: str, words: Tree) -> Iterator[Difference]:
        """Yield the differences between the readers in each state."""
        term: Term | None = None
        translates = self.translates
        if translates:
            try:
                with within(LONGEST):
                    term = self._term(name)
            except (Untranslated, SortError, TooLargeError) as error:
                yield Difference(f"untranslated: {error}"[:90], words, "", {})
                translates = False
            except TooLong:
                yield Difference("takes too long to translate", words, "", {})
                return
            except Exception as error:  # noqa: BLE001 - an internal error is what is looked for
                yield Difference("internal error", words, "translating", {"error": repr(error)})
                return
        for one in self.asked.translation.sample.states:
            if not all(map(self._is_ordered, one)):
                yield Difference("equal, no state of TLC's", words, "", {})
                continue
            yield self._compare(name, words, term, one, translates=translates)

    def _is_ordered(self, value: Value) -> bool:
        """True if TLC has an order of the members of each set in a value: a state without it ends TLC."""
        try:
            self.spec.evaluator.order.sort_key(value)
        except NoValue:
            return False
        return True

    def _term(self, name: str) -> Term | None:
        """Return the term of an expression; None if it never has a value."""
        formula = formula_named(self.spec, name, [])
        value = self.translator.value(formula.body, Context({}, formula.module))
        return None if isinstance(value, Nothing) else self.translator.term(value)

    def _compare(
        self, name: str, words: Tree, term: Term | None, state: State, *, translates: bool
    ) -> Difference:
        pairs = zip(self.spec.variables, state, strict=True)
        where = ", ".join(f"{variable.name} = {self.shown(value)}" for variable, value in pairs)
        answers: dict[str, str] = {}
        try:
            with within(LONGEST):
                theirs = interpret(self.spec, name, state)
                answers["interpreter"] = self._text(theirs)
                if translates:
                    ours = self._of_term(term, state, lowered=int(name[1:]) % LOWERED == 0)
                    alike = ours is not None and theirs is not None and same(ours, theirs)
                    answers["translation"] = answers["interpreter"] if alike else self._text(ours)
        except (SortError, TooLargeError):
            return Difference("refused sort", words, where, {})
        except TooLong:
            return Difference("takes too long", words, where, {})
        except Exception as error:  # noqa: BLE001 - an internal error is what is looked for
            return Difference("internal error", words, where, {**answers, "error": repr(error)})
        of_tlc = self.said.get((state[0], name))
        if of_tlc is not None:
            answers["TLC"] = UNDEFINED if of_tlc.value is None else of_tlc.value
        kind = kind_of(answers, str(words), of_tlc)
        if kind == "translation has no value" and self._is_unlisted(term, theirs):
            kind = "refused: no sort lists the value"
        if of_tlc is not None and of_tlc.value is None:
            answers["TLC"] += f" ({of_tlc.words[:300]})"
        return Difference(kind, words, where, answers)

    def _is_unlisted(self, term: Term | None, value: Value | None) -> bool:
        """True if a term's sort lists members with parts, and lacks a value. Engines refuse a module where
        this happens: docs/tla-reference.md."""
        names = self.asked.translation.names
        if term is None or value is None or not any(map(names.lists, sorts_in(term.sort))):
            return False
        try:
            names.encode(value, term.sort)
        except NotInSort:
            return True
        return False

    def _of_term(self, term: Term | None, state: State, *, lowered: bool) -> Value | None:
        """The value of a term in a state; None if it has none."""
        made = self.asked.translation
        if term is None:
            return None
        if lowered:
            return translate_in_state(made, term, state)
        pairs = zip(made.variables, state, strict=True)
        values = {symbol: made.names.encode(value, symbol.sort) for symbol, value in pairs}
        try:
            found = value_of(term, values, self.quick)
        except TooMany:
            return translate_in_state(made, term, state)
        return None if found is None else made.names.decode(found, term.sort)

    def _text(self, value: Value | None) -> str:
        return UNDEFINED if value is None else self.shown(value)


def kind_of(answers: dict[str, str], words: str, of_tlc: Said | None) -> str:
    """Return the kind of a difference between the readers."""
    parts, theirs = [], answers["interpreter"]
    for who in ("translation", "TLC"):
        if who not in answers or answers[who] == theirs:
            continue
        if theirs == UNDEFINED:
            parts.append(f"only {who} has a value")
        elif answers[who] == UNDEFINED:
            parts.append(f"{who} has no value")
        else:
            parts.append(f"{who} has another value")
    if parts == ["translation has no value"] and "CHOOSE" in words:
        return "refused CHOOSE"  # of several that fit: docs/tla.md says from which sets
    if (
        parts == ["TLC has no value"]
        and of_tlc is not None
        and any(words in of_tlc.words for words in REFUSED)
    ):
        return "TLC refuses to compare"
    if parts:
        return ", ".join(parts)
    return "equal, undefined" if theirs == UNDEFINED else f"equal, {len(answers)} readers"


def write(folder: Path, texts: dict[str, Tree], states: Sequence[dict[str, str]]) -> None:
    """Writes a module M with its configuration, and for TLC a module T of invariants."""
    initial = [
        "(" + " /\\ ".join([f"n = {number}", *(f"{name} = {one.get(name, 0)}" for name in VARIABLES)]) + ")"
        for number, one in enumerate(states)
    ]
    names = ", ".join(VARIABLES)
    body = f"CONSTANTS None, Node\nVARIABLES n, {names}\n{OPERATORS}"
    body += "Init == " + " \\/ ".join(initial) + f"\nNext == UNCHANGED <<n, {names}>>\n"
    body += "".join(f"{name} == {words}\n" for name, words in texts.items())
    (folder / "M.tla").write_text(f"---- MODULE M ----\nEXTENDS {extends(body)}\n{body}====\n")
    (folder / "M.cfg").write_text(CONFIG)
    asked = "".join(f"T{name} == <<n, {name}>>\n" for name in texts)
    (folder / "T.tla").write_text(f"---- MODULE T ----\nEXTENDS M, {EVERY}\n{asked}====\n")
    (folder / "T.cfg").write_text(CONFIG + "".join(f"INVARIANT T{name}\n" for name in texts))


def values_of(
    texts: dict[str, Tree], states: Sequence[dict[str, str]], places: Mapping[str, Collection[int]]
) -> dict[tuple[int, str], Value]:
    """The values that the interpreter computes, by the number of a state and the name of an expression; none
    where there is none, or it takes too long. ``places``: the numbers of the states that matter, by name."""
    found: dict[tuple[int, str], Value] = {}
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), texts, states)
        try:
            spec = load(f"{folder}/M.tla", {}).specification
            initial = sample(spec).initial
        except UsageError:
            return {}
        for state, name in product(initial, texts):
            if state[0] not in places[name]:
                continue
            try:
                with within(LONGEST / 3):
                    value = interpret(spec, name, state)
            except TooLong:
                return found  # it may have been compiling: nothing is sound any more
            except Exception:  # noqa: BLE001 - who checks the module shall see it
                continue
            if value is not None:
                found[state[0], name] = value
    return found


class TooLong(Exception):
    """An evaluation takes too long."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises TooLong where the block takes more seconds of processor time."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def draw_trees(seed: int, count: int) -> tuple[list[Tree], list[dict[str, str]]]:
    """Random expressions and states."""
    chance = Random(seed)
    of = profiles(chance)
    values = Values(chance)
    states = [state(values, of) for _ in range(chance.randint(5, 9))]
    words = Words(values, of)
    kinds = [chance.choice([*ANY, "bool", "bool", "set", "any"]) for _ in range(count)]
    return [words.expression(kind, chance.choice((1, 1, 2, 2, 3))) for kind in kinds], states
