"""In which texts a configuration puts something for a definition: what TLC says of each of these."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import explore_module, question_of, translate_body
from verifier.runs.modules.refining import run_from_sample
from verifier.verdict import VerdictKind

ROOT = """EXTENDS L
VARIABLE y
J == INSTANCE K WITH x <- y
Init == J!Start
Next == UNCHANGED y
Inv == y = "put"
Put == "put"
"""
INSTANTIATED = "EXTENDS L\nVARIABLE x\nStart == x = Nil\nGo == UNCHANGED x\n"
EXTENDED = 'Nil == "none"\n'
DECLARING = 'CONSTANT c\nNil == "none"\n'
COPY = "INSTANCE L WITH c <- 1\n"
AROUND = """EXTENDS L
VARIABLE z
A == INSTANCE I WITH y <- z
Init == A!Init
Next == UNCHANGED z
Inv == z = "put"
Put2 == "put"
"""


def _text(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


CASES: dict[str, tuple[bool, dict[str, str]]] = {
    "by EXTENDS": (True, {}),
    "two EXTENDS away": (True, {"N": "EXTENDS L\n", "K": _text(INSTANTIATED, ("EXTENDS L", "EXTENDS N"))}),
    "the root extends two away": (True, {"N": "EXTENDS L\n", "M": _text(ROOT, ("EXTENDS L", "EXTENDS N"))}),
    "another one of the root": (
        False,
        {"M": _text(ROOT, ("EXTENDS L\n", ""), ("Put ==", 'Nil == "mine"\nPut =='))},
    ),
    "INSTANCE of what declares nothing": (True, {"K": _text(INSTANTIATED, ("EXTENDS", "INSTANCE"))}),
    "the root has it by INSTANCE": (True, {"M": _text(ROOT, ("EXTENDS", "INSTANCE"))}),
    "LOCAL INSTANCE": (False, {"K": _text(INSTANTIATED, ("EXTENDS", "LOCAL INSTANCE"))}),
    "the root has it by LOCAL INSTANCE": (False, {"M": _text(ROOT, ("EXTENDS", "LOCAL INSTANCE"))}),
    "by the name of an instance": (
        False,
        {"K": _text(INSTANTIATED, ("EXTENDS L\n", "P == INSTANCE L\n"), ("= Nil", "= P!Nil"))},
    ),
    "J!Nil": (False, {"M": _text(ROOT, ("J!Start", "y = J!Nil"))}),
    "through a definition of an instance": (
        True,
        {
            "L": f"{EXTENDED}Non == Nil\n",
            "K": _text(INSTANTIATED, ("EXTENDS L\n", "P == INSTANCE L\n"), ("= Nil", "= P!Non")),
        },
    ),
    "an instance in a LET": (
        True,
        {"M": _text(ROOT, ("J!Start", "LET Q == INSTANCE K WITH x <- y IN Q!Start"))},
    ),
    "through an instance in a LET": (
        True,
        {
            "L": f"{EXTENDED}Non == Nil\n",
            "K": _text(INSTANTIATED, ("EXTENDS L\n", ""), ("x = Nil", "LET P == INSTANCE L IN x = P!Non")),
        },
    ),
    "of an instance in a LET": (
        False,
        {"K": _text(INSTANTIATED, ("EXTENDS L\n", ""), ("x = Nil", "LET P == INSTANCE L IN x = P!Nil"))},
    ),
    "an instance with parameters": (True, {"M": _text(ROOT, ("J ==", "J(k) =="), ("J!", "J(1)!"))}),
    "an instance without WITH": (
        True,
        {
            "M": _text(ROOT, (" WITH x <- y", "")),
            "K": _text(INSTANTIATED, ("VARIABLE x", "VARIABLE y"), ("x = Nil", "y = Nil"), ("ED x", "ED y")),
        },
    ),
    "an operator with an argument": (
        True,
        {
            "L": "Nil(a) == a\n",
            "K": _text(INSTANTIATED, ("= Nil", '= Nil("none")')),
            "M": _text(ROOT, ("Put ==", "Put(b) ==")),
        },
    ),
    "of what declares something, by EXTENDS": (True, {"L": DECLARING}),
    "INSTANCE of what declares something": (
        False,
        {"L": DECLARING, "K": _text(INSTANTIATED, ("EXTENDS L\n", COPY))},
    ),
    "a copy that both extend": (
        True,
        {
            "L": DECLARING,
            "N": COPY,
            "K": _text(INSTANTIATED, ("EXTENDS L", "EXTENDS N")),
            "M": _text(ROOT, ("EXTENDS L", "EXTENDS N")),
        },
    ),
    "a copy of each": (
        False,
        {
            "L": DECLARING,
            "K": _text(INSTANTIATED, ("EXTENDS L\n", COPY)),
            "M": _text(ROOT, ("EXTENDS L\n", COPY)),
        },
    ),
    "what is put for a constant": (
        True,
        {
            "K": "CONSTANT D\nVARIABLE x\nStart == x = D\n",
            "M": _text(ROOT, ("WITH", "WITH D <- Nil,")),
        },
    ),
    "an instance of an instance": (True, {"I": ROOT, "M": AROUND}),
    "J!Nil of an instance": (False, {"I": _text(ROOT, ("J!Start", "y = J!Nil")), "M": AROUND}),
    "a LET of the same name": (
        False,
        {
            "M": 'VARIABLE y\nInit == LET Nil == "one" IN y = Nil\nNext == UNCHANGED y\n'
            'Nil == "two"\nPut == "put"\nInv == y = "put"\n'
        },
    ),
}
"""True if it is put there, and the modules that are others than above."""


@pytest.mark.parametrize("how", ["operator", "value"])
@pytest.mark.parametrize("case", CASES)
def test_it_is_put_in_the_texts_where_tlc_puts_it(case: str, how: str, tmp_path: Path) -> None:
    expected, changed = CASES[case]
    texts = {"L": EXTENDED, "K": INSTANTIATED, "M": ROOT} | changed
    body = texts.pop("M")
    if how == "value" and "Put(b)" in body:
        return
    declared = texts["L"] == DECLARING and "EXTENDS L\n" in body
    config = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANTS\n" + ("c = 1\n" if declared else "")
    put = 'Nil = "put"' if how == "value" else "Nil <- Put2" if "Put2" in body else "Nil <- Put"
    found = explore_module(tmp_path, body, config + put, **texts).result.violations
    assert set(found) == (set() if expected else {"Inv"})


def test_a_definition_of_an_instance_in_a_let_is_another_one_with_the_name_and_without(
    tmp_path: Path,
) -> None:
    """TLC puts the operator where the texts of the instance name it, not where ``P!Nil`` does."""
    shown = "<<P!Nil, P!Non, LET F(a) == <<a, P!Nil>> IN F(P!Nil), LET Q == P!Nil IN Q, Nil>>"
    body = f"EXTENDS L\nVARIABLE y\nInit == y = LET P == INSTANCE L IN {shown}\nNext == UNCHANGED y\n"
    body += 'Inv == y = <<"none", FALSE, <<"none", "none">>, "none", "put">>\nPut == "put"\n'
    config = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT Nil <- Put"
    texts = {"L": f'{EXTENDED}Non == Nil = "none"\n'}
    assert not explore_module(tmp_path, body, config, **texts).result.violations
    made = translate_body(tmp_path, body, config)
    verdicts = run_from_sample(question_of(made, "bmc", depth=1), made).outcome.verdicts
    assert {one.property_name: one.kind for one in verdicts}["Inv"] is VerdictKind.HOLDS
