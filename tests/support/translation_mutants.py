"""Wrong rules of the translation, and what verdicts they give."""

from __future__ import annotations

import builtins as builtins_module
import dis
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from importlib import import_module
from inspect import getsource, isclass, isfunction
from pathlib import Path
from textwrap import dedent
from typing import Any
from unittest.mock import patch

from tests.support.translation_rules import Rule
from verifier.errors import UsageError
from verifier.runs.engine import engine_named
from verifier.runs.loaded import Loaded
from verifier.runs.modules.loading import load
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.refining import run_from_sample
from verifier.runs.modules.source import TlaSource
from verifier.runs.modules.translating import translate_module
from verifier.tla.translate import builtins, expressions

_VALIDATION = "verifier.runs.validation.verdicts.validate_translation"


_HEAD = "---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nCONSTANTS None, na, nb\n"


_CONFIG = "CONSTANTS None = None na = na nb = nb\nCHECK_DEADLOCK FALSE\n"


CLAIMS = ("HOLDS", "PROVED")


@dataclass(frozen=True)
class Trial:
    """A module in which a wrong rule gives a wrong verdict."""

    rule: Rule
    shape: str
    body: str

    @property
    def is_temporal(self) -> bool:
        """True if its property is one of executions."""
        return "\nP ==" in self.body


@dataclass(frozen=True)
class Answer:
    """The verdict on a module, and its reason."""

    verdict: str
    reason: str


def trials(rule: Rule) -> Iterator[Trial]:
    """The modules of a rule."""
    if rule.body:
        yield Trial(rule, "by itself", rule.body)
        return
    first, *others = rule.values
    steps = " \\/ ".join(f"x' = {value}" for value in others)
    plain = f"\nVARIABLE x\nInit == x = {first}\nNext == {steps}\nInv == ~({rule.formula})\n"
    yield Trial(rule, "first states", plain)
    either = " \\/ ".join(f"x = {value}" for value in rule.values)
    yield Trial(
        rule,
        "behind a guard",
        f"""
VARIABLES x, i, j, found
Init == ({either}) /\\ i = 0 /\\ j = 0 /\\ found = FALSE
Next == \\/ i < 40 /\\ i' = i + 1 /\\ UNCHANGED <<x, j, found>>
        \\/ j < 40 /\\ j' = j + 1 /\\ UNCHANGED <<x, i, found>>
        \\/ i = 40 /\\ j = 40 /\\ ({rule.formula}) /\\ found' = TRUE /\\ UNCHANGED <<x, i, j>>
TypeOK == i \\in 0..40 /\\ j \\in 0..40
Inv == found = FALSE
""",
    )


def _names() -> dict[str, Any]:
    """Return the functions and classes of the translation by name."""
    modules = [one for word, one in sys.modules.items() if word.startswith("verifier.tla.translate.")]
    return {
        name: value
        for one in modules
        for name, value in vars(one).items()
        if (isfunction(value) or isclass(value))
        and value.__module__ == one.__name__
        and not name.startswith("_")
    }


def make_wrong(rule: Rule) -> tuple[Any, str, Any]:
    """Return the module or class of a rule's function, the function's name, and the wrong function. Raises
    LookupError if the text is another one by now."""
    parts = rule.function.split(".")
    module: Any = import_module(".".join(parts[:4]))
    owner: Any = reduce(getattr, parts[4:-1], module)
    text = dedent(getsource(getattr(owner, parts[-1])))
    if text.count(rule.right) != 1 and not (text.count(rule.right) > 1 and rule.wrong == "return NO"):
        raise LookupError(f"{rule.where} does not say once: {rule.right}")
    # A wrong rule may use functions that its module does not import.
    made = {**_names(), **vars(module)}
    exec(compile(text.replace(rule.right, rule.wrong, 1), rule.where, "exec"), made)
    return owner, parts[-1], made[parts[-1]]


def names_left(rule: Rule) -> set[str]:
    """Return the global names that a wrong function uses and nothing defines."""
    _, _, wrong = make_wrong(rule)
    loads = {"LOAD_GLOBAL", "LOAD_NAME"}
    used: set[str] = {one.argval for one in dis.get_instructions(wrong) if one.opname in loads}
    return used.difference(wrong.__globals__, vars(builtins_module))


@contextmanager
def at_work(rule: Rule) -> Iterator[None]:
    """Within this the rule is wrong. Raises LookupError if its text is another one by now."""
    owner, name, wrong = make_wrong(rule)
    right = getattr(owner, name)
    with ExitStack() as stack:
        stack.enter_context(patch.object(owner, name, wrong))
        for other in [one for word, one in sys.modules.items() if word.startswith("verifier.tla.translate.")]:
            if getattr(other, name, None) is right:  # it was taken from where it stands
                stack.enter_context(patch.object(other, name, wrong))
        operators = {
            name: replace(one, make=wrong) for name, one in builtins.RULES.items() if one.make is right
        }
        forms = {form: wrong for form, one in expressions.FORMS.items() if one is right}
        stack.enter_context(patch.dict(builtins.RULES, operators))
        stack.enter_context(patch.dict(expressions.FORMS, forms))
        yield


def ask_verdict(trial: Trial, folder: Path) -> Answer:
    """The verdict of a module's property, by the translation alone."""
    spec, temporal = folder / "M.tla", trial.is_temporal
    spec.write_text(f"{_HEAD}{trial.body}====\n")
    asks = "SPECIFICATION Spec\nPROPERTY P\n" if temporal else "INIT Init\nNEXT Next\nINVARIANT Inv\n"
    asks += "INVARIANT TypeOK\n" if "TypeOK ==" in trial.body else ""
    spec.with_suffix(".cfg").write_text(asks + _CONFIG)
    module = load(str(spec), {})
    engine = engine_named(trial.rule.engine or ("live" if temporal else "explore"))
    options: dict[str, Any] = {"engine": "explicit"} if engine.name == "live" else {}
    loaded = Loaded(str(spec), module.definition, {})
    question = TlaSource(module).prepare(engine, loaded, engine.options(**options))
    made = translate_module(module)
    try:
        found = run_from_sample(
            ModuleQuestion(engine, module, question, (), lambda _: None, lambda _: None), made
        )
    except UsageError as error:
        return Answer("error", str(error).replace(f"{folder}/", ""))
    name = "P" if temporal else "Inv"
    (verdict,) = (one for one in found.outcome.verdicts if one.property_name == name)
    return Answer(str(verdict.kind), (verdict.reason or "").replace(f"{folder}/", ""))


def try_mutant(trial: Trial, folder: Path) -> tuple[Answer, Answer]:
    """Return the answers on a module with the wrong rule, without validation and with it."""
    with at_work(trial.rule):
        with patch(_VALIDATION, lambda made, found, seconds=None: found):
            alone = ask_verdict(trial, folder)
        return alone, ask_verdict(trial, folder)
