"""Compares random modules of mixed values: interpreter, engines on the translation, and TLC.

python -m tests.support.tla_mixed_checking FIRST LAST [--seconds S] [--engines explore,bmc,prove,live]
                                                [--tlc FOLDER] [--kept FOLDER] [--crossed]
                                                [--longest S]

``--seconds`` bounds the run and ``--longest`` one module.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.support.tla_mixed import REFUSED, TooLong, within
from tests.support.tla_mixed_modules import Module, draw_module
from tests.support.tla_mixed_texts import EVERY
from tests.support.tla_random import compare_module, explore_random, ran
from tests.support.tlc_batch import Tlc
from verifier.errors import TooLargeError, UsageError
from verifier.runs.modules.loading import load
from verifier.runs.modules.translating import NotTranslated, translate_module
from verifier.specs.titles import NO_DEADLOCK

_CLEAN, _DEADLOCK, _LASTING = 2193, 2114, 2116
_NO_REASON = "The behavior up to this point is:"
"""All that TLC says where it fails within itself. As one process for many modules it may also end with the
code of a violated temporal property and no word of one. A process of its own finds no error there."""


@dataclass(frozen=True)
class Answer:
    """TLC's answer: ``clean``, ``violated``, ``lasting`` (a temporal property), ``error``, or
    ``unexplained``."""

    kind: str
    name: str = ""
    counts: tuple[int, int, int] = (0, 0, 0)
    """States generated, distinct states, levels."""
    words: str = ""


def answer_of(text: str) -> Answer:
    """Return TLC's answer from its output."""
    counts = re.search(r"^(\d+) states generated, (\d+) distinct states found", text, re.M)
    levels = re.search(r"depth of the complete state graph search is (\d+)", text)
    figures = (int(counts[1]), int(counts[2]), int(levels[1])) if counts and levels else (0, 0, 0)
    violated = re.search(r"^(?:Error: )?(?:Invariant|Action property) (\w+) is violated", text, re.M)
    if violated:
        return Answer("violated", violated[1], figures)
    if f"STARTMSG {_DEADLOCK}:1" in text:
        return Answer("violated", NO_DEADLOCK, figures)
    if re.search(rf"STARTMSG {_LASTING}:1|Temporal propert\w+ .*violated", text):
        return Answer("lasting", "", figures)
    if f"STARTMSG {_CLEAN}:0" in text:
        return Answer("clean", "", figures)
    errors = re.findall(r"STARTMSG \d+:1 @!@!@\n(.*?)@!@!@ENDMSG", text, re.S)
    if f"CODE {_LASTING}" in text or [one.strip() for one in errors] == [_NO_REASON]:
        return Answer("unexplained", "", figures)
    return Answer("error", "", figures, " ".join(" ".join(errors).split())[:1500] or text[-500:])


def differs_from_tlc(folder: Path, made: Module, said: Answer, found: Counter[str]) -> str | None:
    """Return the difference between the interpreter and TLC in words; None if there is none."""
    failed, explorer = explore_random(folder, made.names)
    counts = (explorer.result.generated, explorer.result.distinct, explorer.result.depth + 1)
    violated = sorted(explorer.result.violations)
    theirs = f"{'an error, ' if failed else ''}violated {violated}, {counts}"
    found[f"TLC: {said.kind}"] += 1
    match said.kind:
        case "unexplained":
            same = True
        case "clean" | "lasting":
            same = not failed and not violated and (counts == said.counts or not made.counted)
        case "violated":
            same = said.name in violated
        case _:
            same = failed
            if not failed and any(words in said.words for words in REFUSED):
                found["TLC refuses to compare"] += 1
                return None
    return None if same else f"TLC says {said}, the interpreter {theirs}"


def lasting_differs(folder: Path, made: Module, said: Answer, found: Counter[str]) -> str | None:
    """Return the difference between ``live`` and TLC on temporal properties in words; None if there is
    none."""
    if not made.lasting or said.kind not in ("clean", "lasting"):
        return None
    loaded = load(str(folder / "M.tla"), {})
    try:
        done = ran("live", translate_module(loaded), properties=made.lasting)
    except NotTranslated:
        found["live: untranslated"] += 1
        return None
    ours = {one.kind.value for one in done.outcome.verdicts}
    found[f"live: {', '.join(sorted(ours))}"] += 1
    if ours <= {"INCONCLUSIVE"}:
        return None
    return None if ("VIOLATED" in ours) == (said.kind == "lasting") else f"live says {ours}, TLC {said}"


def find_differences(
    folder: Path,
    made: Module,
    engines: tuple[str, ...],
    tlc: Tlc | None,
    found: Counter[str],
    longest: float = 20.0,
) -> list[str]:
    """Return the differences that are found within ``longest`` seconds."""
    wrong = []
    try:
        with within(longest):
            (folder / "M.tla").write_text(made.text)
            (folder / "M.cfg").write_text(made.config)
            wrong += compare_module(folder, made.text, made.config, made.names, found, engines)
            if tlc is not None and "SYMMETRY" not in made.config:
                (folder / "T.tla").write_text(f"---- MODULE T ----\nEXTENDS M, {EVERY}\n====\n")
                (folder / "T.cfg").write_text(made.config)
                said = answer_of(tlc.check(folder))
                for one in (
                    differs_from_tlc(folder, made, said, found),
                    lasting_differs(folder, made, said, found),
                ):
                    wrong += [] if one is None else [one]
    except TooLong:
        found["takes too long"] += 1
    except (UsageError, TooLargeError) as error:
        found[f"refused: {error}"[:80]] += 1
    except Exception as error:  # noqa: BLE001 - an internal error is what is looked for
        wrong.append(f"internal error: {error!r}")
    return [one for one in wrong if not _is_untranslated(one)]


def _is_untranslated(words: str) -> bool:
    return bool(re.match(r"\w+ says (untranslated|INCONCLUSIVE)", words))


def main() -> None:
    """Compare, and print the counts and the differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--engines", default="explore")
    parser.add_argument("--tlc", type=Path)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--longest", type=float, default=20.0)
    parser.add_argument("--crossed", action="store_true", help="every combination of CONSTRAINT, VIEW, ...")
    options = parser.parse_args()
    tlc = None if options.tlc is None else Tlc(options.tlc)
    engines = tuple(filter(None, options.engines.split(",")))
    found, began, seeds = Counter[str](), time.monotonic(), 0
    for seed in range(options.first, options.last):
        if time.monotonic() - began > options.seconds:
            break
        made = draw_module(seed, crossed=options.crossed)
        with tempfile.TemporaryDirectory() as folder:
            wrong = find_differences(Path(folder), made, engines, tlc, found, options.longest)
        seeds += 1
        if seeds % 100 == 0:
            print(f"{seeds} modules: {dict(found)}", flush=True)
        for one in wrong[:2]:
            print(f"seed {seed}: {one[:600]}\n", flush=True)
            if options.kept is not None:
                (options.kept / f"Module{seed}.tla").write_text(
                    made.text.replace("MODULE M ", f"MODULE Module{seed} ")
                )
                (options.kept / f"Module{seed}.cfg").write_text(made.config)
                (options.kept / f"Module{seed}.txt").write_text(one[:600])
    print(f"{seeds} modules", flush=True)
    for words, count in found.most_common():
        print(f"{count:8} {words}")


if __name__ == "__main__":
    main()
