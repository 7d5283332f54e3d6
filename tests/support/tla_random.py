"""Random expressions and modules of TLA+: what is translated is compared with what the interpreter computes.

    python -m tests.support.tla_random expressions|modules FIRST LAST [SECONDS]

Each seed is a module. An expression has a value, or none, in each of several states, to both readers. A
module has the same states, levels, verdicts and shortest counterexamples to the interpreter and to engines.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.support.tla_random_texts import (
    CONFIG,
    HEAD,
    OPERATORS,
    RULES,
    VARIABLES,
    configuration,
    expression,
    module,
)
from tests.support.tla_random_texts import state as random_state
from verifier.encodings.sorts import SortError
from verifier.encodings.terms import Term
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.runs.engine import engine_named
from verifier.runs.loaded import Loaded
from verifier.runs.modules.loading import TlaLoaded, formula_named, load
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.refining import run_from_sample
from verifier.runs.modules.source import TlaSource
from verifier.runs.modules.translating import NotTranslated, Symbolic, translate_module
from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.rules import make_translator
from verifier.tla.translate.symbolic import Nothing, Untranslated
from verifier.tla.translate.translation import Translation
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import materialize, same
from verifier.trust.concrete_reading import ConcreteReading
from verifier.verdict import Verdict, VerdictKind


def interpret(spec: Specification, name: str, state: State) -> Value | None:
    """The value that the interpreter computes; None if there is none."""
    formula = formula_named(spec, name, [])
    spec.evaluator.now[:] = state
    try:
        return materialize(spec.evaluator.compile_value(formula.body, formula.module)())
    except (Undefined, NoValue):
        return None


def translate_in_state(made: Translation, term: Term | None, state: State) -> Value | None:
    """The value that the term has in a state; None if there is none."""
    if term is None:
        return None
    values = {
        symbol.name: made.names.encode(value, symbol.sort)
        for symbol, value in zip(made.variables, state, strict=True)
    }
    reading = ConcreteReading(values)
    if not reading.is_defined(term, {}):
        return None
    found = reading.value(term, {})
    assert found is not None
    return made.names.decode(found, term.sort)


def compare_expressions(folder: Path, seed: int, count: int, found: Counter[str]) -> list[str]:
    """Return the differences between the two readings of random expressions. The comparisons are counted."""
    chance = Random(seed)
    kinds = [kind for kind in RULES if kind not in ("any", "mixed")]
    texts = [expression(chance, chance.choice(kinds), chance.choice((1, 2, 2, 3))) for _ in range(count)]
    return compare_texts(folder, texts, [random_state(chance) for _ in range(5)], found)


def compare_texts(folder: Path, expressions: list[str], states: list[str], found: Counter[str]) -> list[str]:
    """Return the differences between the two readings of expressions in some states."""
    texts = {f"E{number}": text for number, text in enumerate(expressions)}
    body = HEAD + OPERATORS + "Init == " + " \\/ ".join(states) + "\n"
    body += f"Next == UNCHANGED <<{VARIABLES}>>\n"
    body += "".join(f"{name} == {text}\n" for name, text in texts.items())
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
    (folder / "M.cfg").write_text(CONFIG)
    asked = translate_module(load(str(folder / "M.tla"), {}))
    asked.definition()
    spec, made = asked.loaded.specification, asked.translation
    symbols = dict(zip(spec.variables, made.variables, strict=True))
    translator = make_translator(spec.evaluator, made.names, symbols, {})
    wrong: list[str] = []
    for name, text in texts.items():
        formula = formula_named(spec, name, [])
        try:
            value = translator.value(formula.body, Context({}, formula.module))
            term = None if isinstance(value, Nothing) else translator.term(value)
        except Untranslated as error:
            found[f"untranslated: {error.words}"[:90]] += 1
            continue
        for state in made.sample.states:
            theirs = interpret(spec, name, state)
            try:
                ours = translate_in_state(made, term, state)
            except SortError:  # refused by the engines
                found["refused sort"] += 1
                continue
            if theirs is None or ours is None:
                kind = "undefined" if theirs is ours else "unnoticed" if theirs is None else "noticed"
                if kind == "noticed" and "CHOOSE" in text:
                    kind = "CHOOSE refused"  # of several that fit: docs/tla.md says from which sets
                found[kind] += 1
                if kind in ("unnoticed", "noticed"):
                    wrong.append(f"{kind}: {text}: {ours} is {theirs} to the interpreter in {state}")
            elif not same(theirs, ours):
                wrong.append(f"differs: {text}: {ours} is {theirs} to the interpreter in {state}")
            else:
                found["equal"] += 1
    return wrong


def compare_modules(folder: Path, seed: int, found: Counter[str], engines: tuple[str, ...]) -> list[str]:
    """Return the differences between the interpreter and the engines on a random module."""
    text, (config, names) = module(Random(seed)), configuration(Random(f"configuration {seed}"))
    return compare_module(folder, f"---- MODULE M ----\n{text}====\n", config, names, found, engines)


def compare_module(
    folder: Path,
    text: str,
    config: str,
    names: tuple[str, ...],
    found: Counter[str],
    engines: tuple[str, ...],
) -> list[str]:
    """Return the differences between the interpreter and the engines on a module M."""
    (folder / "M.tla").write_text(text)
    (folder / "M.cfg").write_text(config)
    try:
        asked = translate_module(load(str(folder / "M.tla"), {}))
    except UsageError as error:
        found["refused at once"] += 1
        return [] if explore_random(folder, names)[0] else [f"refused at once: {error}\n{text}"]
    failed, explorer = explore_random(folder, names)
    for name in names:
        found[f"interpreter: {_kind(failed, explorer, name)}"] += 1
    wrong = []
    for engine in engines:
        if engine == "explore" and (explorer.action_constraints or explorer.view is not None):
            continue  # the interpreter explores such modules
        ours = _ours(engine, asked.loaded, names, explorer.result.depth + 1)
        for name in names:
            found[f"{engine}: {ours[name].split(' ')[0]}"] += 1
            expected = _list_allowed(engine, name, _kind(failed, explorer, name), explorer)
            if ours[name] not in expected:
                said = f"{engine} says {ours[name]} of {name}, the interpreter {expected}"
                wrong.append(f"{said}\n{text}{config}")
    return wrong


def explore_random(folder: Path, names: tuple[str, ...]) -> tuple[bool, Explorer]:
    """True if the interpreter comes to an error, and its exploration of all states."""
    explorer = Explorer(load(str(folder / "M.tla"), {}).specification, properties=names, keep_going=True)
    try:
        explorer.explore()
    except Undefined:
        return True, explorer
    return False, explorer


def _kind(failed: bool, explorer: Explorer, name: str) -> str:
    """Return the interpreter's answer on a property."""
    return "error" if failed else "violated" if name in explorer.result.violations else "holds"


def _list_allowed(engine: str, name: str, kind: str, explorer: Explorer) -> tuple[str, ...]:
    """Return the allowed answers of an engine, the best first: an error of the specification, or a
    verdict."""
    violation = explorer.result.violations.get(name)
    shortest = -1 if violation is None else len(violation.states) - 1
    if kind == "error":  # what lies beside or before the error may be found first
        before = [f"VIOLATED {steps}" for steps in range(explorer.level + 2)]
        return ("error", *before, "VIOLATED", "INCONCLUSIVE")
    if kind == "violated":
        return (f"VIOLATED {shortest}",) if engine != "prove" else ("VIOLATED", "INCONCLUSIVE")
    states = _states(explorer.result.distinct, explorer.result.generated, explorer.result.depth)
    return {"explore": (f"HOLDS {states}",), "bmc": ("HOLDS",), "prove": ("PROVED", "INCONCLUSIVE")}[engine]


def _states(distinct: int, generated: int, depth: int) -> str:
    return f"{distinct} states, {generated} generated, depth {depth}"


def ran(name: str, made: Symbolic, **options: Any) -> Run:
    """Run an engine on the translated module, at wider sorts if necessary."""
    engine, module = engine_named(name), made.loaded
    loaded = Loaded(str(module.path), module.definition, {})
    question = TlaSource(module).prepare(engine, loaded, engine.options(**options))
    asked = ModuleQuestion(engine, module, question, (), lambda _: None, lambda _: None)
    return run_from_sample(asked, made)


def _ours(engine: str, loaded: TlaLoaded, names: tuple[str, ...], depth: int) -> dict[str, str]:
    """Return an engine's answer on each property."""
    every: dict[str, dict[str, Any]] = {
        "explore": {"keep_going": True},
        "bmc": {"depth": depth, "shortest": True},
        "prove": {"timeout": 20.0},
    }
    try:
        done = ran(engine, translate_module(loaded), properties=names, **every[engine])
    except NotTranslated as error:
        return dict.fromkeys(names, f"untranslated: {error}")
    except UsageError:
        return dict.fromkeys(names, "error")
    return {v.property_name: _say(engine, v, done) for v in done.outcome.verdicts}


def _say(engine: str, verdict: Verdict, done: Run) -> str:
    if verdict.kind is VerdictKind.VIOLATED:
        return f"VIOLATED {verdict.depth}" if engine != "prove" else "VIOLATED"
    if engine == "explore" and verdict.kind is VerdictKind.HOLDS:
        counts = done.outcome.statistics
        states = _states(counts["distinct_states"], counts["generated_states"], counts["depth"])
        return f"HOLDS {states}"
    return str(verdict.kind.value)


def main() -> None:
    """Compare, and print the counts and the differences."""
    kind, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    until = time.monotonic() + float(sys.argv[4]) if len(sys.argv) > 4 else None
    found: Counter[str] = Counter()
    compare: Callable[[Path, int], list[str]] = {
        "expressions": lambda folder, seed: compare_expressions(folder, seed, 12, found),
        "modules": lambda folder, seed: compare_modules(folder, seed, found, ("explore", "bmc", "prove")),
    }[kind]
    seeds = differences = 0
    for seed in range(first, last):
        if until is not None and time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory() as folder:
            wrong = compare(Path(folder), seed)
        seeds, differences = seeds + 1, differences + bool(wrong)
        for line in wrong[:2]:
            print(f"seed {seed}: {line}\n", flush=True)
    print(f"{seeds} seeds, {differences} of them with differences")
    for words, count in found.most_common():
        print(f"{count:8} {words}")


if __name__ == "__main__":
    main()
