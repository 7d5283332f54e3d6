"""Random expressions over values of several kinds: interpreter, translation and TLC say the same of them.

    python -m results.generators.tla_mixed FIRST LAST [--tlc FOLDER] [--seconds S]

Each seed is a module with many expressions and a few states.
"""

from __future__ import annotations

import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType

from results.generators.tla_mixed_texts import (
    ANY,
    CONSTANTS,
    MODULES,
    OPERATORS,
    Tree,
    Values,
    Words,
    profiles,
    state,
)
from results.generators.tla_random import interpreted, translated
from results.generators.tlc_batch import Said, Tlc
from verifier.encodings.sorts import SortError
from verifier.encodings.terms import Term
from verifier.errors import TooLargeError, UsageError
from verifier.runs.tla_loading import formula_named, load
from verifier.runs.tla_symbolic import Symbolic, symbolic
from verifier.tla.order import text
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.expressions import Translator
from verifier.tla.translate.symbolic import Nothing, Untranslated
from verifier.tla.values import Value, same

CONFIG = f"CONSTANTS\n{CONSTANTS}INIT Init\nNEXT Next\n"
LONGEST = 3.0
"""No expression may take longer."""


@dataclass(frozen=True)
class Difference:
    """Two readers that differ on an expression in a state."""

    kind: str
    expression: Tree
    state: str
    said: dict[str, str]

    @property
    def cause(self) -> str:
        """What differences that are alike share."""
        return self.kind + re.sub(r"[0-9].*", "", self.said.get("error", ""))

    @property
    def shape(self) -> str:
        """The same, and the outermost operator."""
        return self.cause + re.sub(r"([xyS])\d+", r"\1", self.expression.rule)

    def __str__(self) -> str:
        said = ", ".join(f"{who}: {what}" for who, what in self.said.items())
        return f"{self.kind}: {self.expression}\n    in {self.state}\n    {said}"


@dataclass
class Comparison:
    """What was compared."""

    found: Counter[str] = field(default_factory=Counter)
    tlc: Tlc | None = None

    def compare(
        self, folder: Path, expressions: Sequence[Tree], states: Sequence[dict[str, str]]
    ) -> list[Difference]:
        """The differences of expressions in some states."""
        texts = {f"E{number}": words for number, words in enumerate(expressions)}
        names = list(states[0])
        initial = [
            "(" + " /\\ ".join([f"n = {number}", *(f"{name} = {value}" for name, value in one.items())]) + ")"
            for number, one in enumerate(states)
        ]
        body = f"EXTENDS {MODULES}\nCONSTANTS None, Node\nVARIABLES n, {', '.join(names)}\n{OPERATORS}"
        body += "Init == " + " \\/ ".join(initial) + f"\nNext == UNCHANGED <<n, {', '.join(names)}>>\n"
        body += "".join(f"{name} == {words}\n" for name, words in texts.items())
        (folder / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
        (folder / "M.cfg").write_text(CONFIG)
        said: dict[tuple[int, str], Said] = {}
        if self.tlc is not None:
            asked_of_tlc = "".join(f"T{name} == <<n, {name}>>\n" for name in texts)
            (folder / "T.tla").write_text(f"---- MODULE T ----\nEXTENDS M\n{asked_of_tlc}====\n")
            (folder / "T.cfg").write_text(CONFIG + "".join(f"INVARIANT T{name}\n" for name in texts))
            said = self.tlc.values(folder)
        try:
            asked = symbolic(load(str(folder / "M.tla"), {}))
            asked.definition()
        except UsageError as error:
            self.found[f"refused: {error}"[:100]] += 1
            return []
        return list(self._compared(asked, texts, said))

    def _compared(
        self, asked: Symbolic, texts: dict[str, Tree], said: dict[tuple[int, str], Said]
    ) -> Iterator[Difference]:
        spec, made = asked.loaded.specification, asked.translation
        # The interpreter takes the members of a set as they come where TLC sorts them.
        spec.evaluator.__dict__["domain"] = partial(spec.evaluator.domain, ordered=True)
        symbols = dict(zip(spec.variables, made.variables, strict=True))
        shown = partial(text, order=spec.evaluator.order)
        translator = Translator(spec.evaluator, made.names, symbols, {})
        shown_already = set[tuple[str, str]]()
        for name, words in texts.items():
            term, readable = self._term(translator, asked, name, words)
            if isinstance(term, Difference):
                yield term
                continue
            for one in made.sample.states:
                where = ", ".join(f"{v.name} = {shown(x)}" for v, x in zip(spec.variables, one, strict=True))
                answers: dict[str, str] = {}
                theirs: Value | None = None
                try:
                    with within(LONGEST):
                        theirs = interpreted(spec, name, one)
                    answers["interpreter"] = "undefined" if theirs is None else shown(theirs)
                    if readable:
                        ours = translated(made, term, one)
                        answers["translation"] = "undefined" if ours is None else shown(ours)
                        if ours is not None and theirs is not None and same(ours, theirs):
                            answers["translation"] = answers["interpreter"]
                except (SortError, TooLargeError):
                    self.found["refused sort"] += 1
                except TooLong:
                    self.found["takes too long"] += 1
                    break
                except Exception as error:  # an internal error is what is looked for
                    yield Difference("internal error", words, where, {**answers, "error": repr(error)})
                    break
                of_tlc = said.get((one[0], name))
                if of_tlc is not None:
                    answers["TLC"] = of_tlc.value if of_tlc.value is not None else "undefined"
                kind = self._kind(answers, str(words))
                self.found[kind] += 1
                if not kind.startswith("equal"):
                    if (name, kind) in shown_already:
                        continue
                    shown_already.add((name, kind))
                    if of_tlc is not None and of_tlc.value is None:
                        answers["TLC"] += f" ({of_tlc.words[:300]})"
                    yield Difference(kind, words, where, answers)

    def _term(
        self, translator: Translator, asked: Symbolic, name: str, words: Tree
    ) -> tuple[Term | None | Difference, bool]:
        """The term of an expression, and whether there is one to read; None where it never has a value."""
        formula = formula_named(asked.loaded.specification, name, [])
        try:
            with within(LONGEST):
                value = translator.value(formula.body, Context({}, formula.module))
                return (None if isinstance(value, Nothing) else translator.term(value)), True
        except (Untranslated, SortError, TooLargeError) as error:
            self.found[f"untranslated: {getattr(error, 'words', error)}"[:90]] += 1
        except TooLong:
            self.found["translating takes too long"] += 1
        except Exception as error:  # an internal error is what is looked for
            return Difference("internal error", words, "translating", {"error": repr(error)}), False
        return None, False

    def _kind(self, answers: dict[str, str], words: str) -> str:
        """How the readers differ."""
        parts = []
        theirs = answers.get("interpreter")
        for who in ("translation", "TLC"):
            if theirs is None or who not in answers or answers[who] == theirs:
                continue
            if theirs == "undefined":
                parts.append(f"only {who} has a value")
            elif answers[who] == "undefined":
                parts.append(f"{who} has no value")
            else:
                parts.append(f"{who} has another value")
        if parts == ["translation has no value"] and "CHOOSE" in words:
            return "equal but for CHOOSE, which is refused"
        if parts:
            return ", ".join(parts)
        return "equal, undefined" if theirs == "undefined" else f"equal, {len(answers)} readers"


class TooLong(Exception):
    """An evaluation takes too long."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises TooLong where the block takes more seconds."""

    def over(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def drawn(seed: int, count: int) -> tuple[list[Tree], list[dict[str, str]]]:
    """Random expressions and states."""
    chance = Random(seed)
    of = profiles(chance)
    values = Values(chance)
    states = [state(values, of) for _ in range(chance.randint(5, 9))]
    words = Words(values, of)
    kinds = [chance.choice([*ANY, "bool", "bool", "set", "any"]) for _ in range(count)]
    return [words.expression(kind, chance.choice((1, 1, 2, 2, 3))) for kind in kinds], states


def shrunk(
    one: Difference, states: Sequence[dict[str, str]], comparison: Comparison
) -> tuple[Difference, list[dict[str, str]]]:
    """A smaller difference of the same kind, and its states: with as few states, variables, and operators as
    are found by trying one after the other."""

    def still(trees: Sequence[Tree], within: Sequence[dict[str, str]]) -> Difference | None:
        with tempfile.TemporaryDirectory() as folder:
            found = Comparison(tlc=comparison.tlc).compare(Path(folder), trees, within)
        fitting = [other for other in found if other.cause == one.cause]
        return min(fitting, key=lambda other: len(str(other.expression)), default=None)

    kept = list(states)
    while True:
        before = (str(one.expression), len(kept), len(kept[0]))
        for number in reversed(range(len(kept))):
            fewer = kept[:number] + kept[number + 1 :]
            if fewer and (found := still([one.expression], fewer)):
                one, kept = found, fewer
        trees = sorted(
            {str(tree): tree for tree in one.expression.smaller()}.values(), key=lambda t: len(str(t))
        )
        trees = [tree for tree in trees if len(str(tree)) < len(str(one.expression))]
        for first in range(0, len(trees), 30):
            if found := still(trees[first : first + 30], kept):
                one = found
                break
        for name in list(kept[0]):
            fewer = [{other: value for other, value in state.items() if other != name} for state in kept]
            if fewer[0] and (found := still([one.expression], fewer)):
                one, kept = found, fewer
        if before == (str(one.expression), len(kept), len(kept[0])):
            return one, kept


def note(one: Difference, states: Sequence[dict[str, str]], folder: Path, name: str) -> None:
    """Writes a module with an invariant that two readers differ on, its configuration, and what was said."""
    names = list(states[0])
    initial = "\n        ".join(
        "\\/ " + " /\\ ".join(f"{name} = {value}" for name, value in state.items()) for state in states
    )
    body = f"EXTENDS {MODULES}\nCONSTANTS None, Node\nVARIABLES {', '.join(names)}\n{OPERATORS}"
    body += f"Init == {initial}\nNext == UNCHANGED <<{', '.join(names)}>>\nE == {one.expression}\n"
    theirs = one.said.get("interpreter", "undefined")
    expected = "TRUE" if theirs == "undefined" else theirs.replace("na", "Na").replace("nb", "Other")
    body += f"Inv == E = {expected}\n"
    (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{body}====\n")
    (folder / f"{name}.cfg").write_text(f"{CONFIG}INVARIANT Inv\n")
    (folder / f"{name}.txt").write_text(f"{one}\n")


def main() -> None:
    """Compares, and prints what was compared and what differs."""
    first, last = int(sys.argv[1]), int(sys.argv[2])
    options = dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True))
    until = float(options.get("--seconds", "inf"))
    tlc = Tlc(Path(options["--tlc"])) if "--tlc" in options else None
    comparison, began, seeds = Comparison(tlc=tlc), time.monotonic(), 0
    known = set[str]()
    for seed in range(first, last):
        if time.monotonic() - began > until:
            break
        expressions, states = drawn(seed, 40)
        with tempfile.TemporaryDirectory() as folder:
            wrong = comparison.compare(Path(folder), expressions, states)
        seeds += 1
        for number, one in enumerate(wrong):
            kept: Sequence[dict[str, str]] = states
            if "--shrunk" in options:
                one, kept = shrunk(one, states, Comparison(tlc=tlc))
                if one.shape in known:
                    continue
                known.add(one.shape)
                note(one, kept, Path(options["--shrunk"]), f"Mixed{seed}x{number}")
            print(f"seed {seed}: {one}\n", flush=True)
    print(f"{seeds} seeds, {40 * seeds} expressions")
    for words, number in comparison.found.most_common():
        print(f"{number:8} {words}")


if __name__ == "__main__":
    main()
