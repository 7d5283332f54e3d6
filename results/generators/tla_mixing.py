"""Compares many random expressions over values of several kinds, and makes what differs small.

    python -m results.generators.tla_mixing FIRST LAST [--seconds S] [--count N] [--tlc FOLDER]
                                            [--readers all|interpreter] [--shrunk FOLDER]

Each seed is a module with N expressions and a few states. ``--tlc``: the folder with TLC, which is asked too;
``--readers interpreter``: nothing is translated. ``--shrunk``: a folder for modules as small as can be.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.tla_mixed import CONFIG, UNDEFINED, Comparison, Difference, draw_trees
from tests.support.tla_mixed_texts import OPERATORS, Tree, extends
from tests.support.tlc_batch import Tlc

_AT_ONCE = 30
"""The number of smaller expressions that are tried in one module."""


def shrunk(
    one: Difference, states: Sequence[dict[str, str]], readers: Comparison
) -> tuple[Difference, list[dict[str, str]]]:
    """A smaller difference of the same cause, and its states: with as few states, variables, and operators
    as are found by trying one after the other."""

    def still(trees: Sequence[Tree], within: Sequence[dict[str, str]]) -> Difference | None:
        with tempfile.TemporaryDirectory() as folder:
            found = Comparison(readers.translates, readers.tlc).compare(Path(folder), trees, within)
        fitting = [other for other in found if other.cause == one.cause]
        return min(fitting, key=lambda other: len(str(other.expression)), default=None)

    kept = list(states)
    while True:
        before = (str(one.expression), len(kept), len(kept[0]))
        alone = [state for number, state in enumerate(kept) if f"n = {number}," in one.state]
        if len(kept) > 1 and (found := still([one.expression], alone)):
            one, kept = found, alone
        for number in reversed(range(len(kept)) if len(kept) > 1 else ()):
            fewer = kept[:number] + kept[number + 1 :]
            if fewer and (found := still([one.expression], fewer)):
                one, kept = found, fewer
        texts = {str(tree): tree for tree in one.expression.smaller()}
        smaller = sorted((t for t in texts if len(t) < len(str(one.expression))), key=len)
        for first in range(0, len(smaller), _AT_ONCE):
            if found := still([texts[t] for t in smaller[first : first + _AT_ONCE]], kept):
                one = found
                break
        used = [name for name in kept[0] if name in str(one.expression)] or list(kept[0])[:1]
        if len(used) < len(kept[0]):
            fewer = [{name: state[name] for name in used} for state in kept]
            if found := still([one.expression], fewer):
                one, kept = found, fewer
        if before == (str(one.expression), len(kept), len(kept[0])):
            return one, kept


def note(one: Difference, states: Sequence[dict[str, str]], folder: Path, name: str) -> None:
    """Write a module with an invariant on which two readers differ, its configuration, and their answers."""
    names = list(states[0])
    initial = "\n        ".join(
        "\\/ " + " /\\ ".join(f"{variable} = {value}" for variable, value in state.items())
        for state in states
    )
    body = f"CONSTANTS None, Node\nVARIABLES {', '.join(names)}\n{OPERATORS}"
    body += f"Init == {initial}\nNext == UNCHANGED <<{', '.join(names)}>>\nE == {one.expression}\n"
    theirs = one.said.get("interpreter", UNDEFINED)
    body += "Inv == E = E\n" if theirs == UNDEFINED else f"Inv == E = {theirs}\n"
    (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\nEXTENDS {extends(body)}\n{body}====\n")
    (folder / f"{name}.cfg").write_text(f"{CONFIG}INVARIANT Inv\n")
    (folder / f"{name}.txt").write_text(f"{one}\n")


def main() -> None:
    """Compare, and print the counts and the differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--tlc", type=Path)
    parser.add_argument("--readers", choices=("all", "interpreter"), default="all")
    parser.add_argument("--shrunk", type=Path)
    options = parser.parse_args()
    tlc = None if options.tlc is None else Tlc(options.tlc)
    readers = Comparison(options.readers == "all", tlc)
    began, seeds, known = time.monotonic(), 0, set[str]()
    for seed in range(options.first, options.last):
        if time.monotonic() - began > options.seconds:
            break
        expressions, states = draw_trees(seed, options.count)
        with tempfile.TemporaryDirectory() as folder:
            wrong = readers.compare(Path(folder), expressions, states)
        seeds += 1
        for number, whole in enumerate(wrong):
            one, kept = whole, list(states)
            if options.shrunk is not None:
                one, kept = shrunk(whole, states, readers)
                if one.shape in known:
                    continue
                known.add(one.shape)
                note(one, kept, options.shrunk, f"Mixed{seed}x{number}")
            print(f"seed {seed}: {one}\n", flush=True)
    print(f"{seeds} seeds, {options.count * seeds} expressions")
    for words, count in readers.found.most_common():
        print(f"{count:8} {words}")


if __name__ == "__main__":
    main()
