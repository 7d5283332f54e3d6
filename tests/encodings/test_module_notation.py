"""Values of modules are written as TLA+ writes them, on the terminal as in reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.tla_values import list_words, show_tla
from verifier.report.notation import Notation

_WORDS = {"a": "a", '"a"': '"a"', "req": '"req"', "<<1, 2>>": "<<1, 2>>"}


@pytest.mark.parametrize(("value", "text"), [
    (True, "TRUE"),
    (-3, "-3"),
    ("a", "a"),
    ('"a"', '"a"'),
    ("req", '"req"'),
    ("<<1, 2>>", "<<1, 2>>"),
    ((), "<<>>"),
    (("a", (1,)), "<<a, <<1>>>>"),
    (frozenset({10, 9, 2}), "{2, 9, 10}"),
    (Tagged("int", 3), "3"),
    (Tagged("sequence", ()), "<<>>"),
    (FrozenMap({"t": "req", "to": "a"}), '[t |-> "req", to |-> a]'),
    (FrozenMap({"a": 1}), "(a :> 1)"),
    (FrozenMap({0: "a", 1: "req"}), '(0 :> a @@ 1 :> "req")'),
    (FrozenMap({1: "a", 2: "req"}), '<<a, "req">>'),
    (FrozenMap(), "<<>>"),
])  # fmt: skip
def test_values_are_written_in_tla(value: Concrete, text: str) -> None:
    assert show_tla(value, _WORDS) == text


@pytest.mark.parametrize("value", [
    FrozenMap({1: "a", 2: "req"}),
    FrozenMap({"a": frozenset({"n10", "n2", "req"})}),
    FrozenMap({"t": "req", "to": ("a", FrozenMap())}),
    frozenset({FrozenMap({"x": 10}), FrozenMap({"x": 9})}),
])  # fmt: skip
def test_pages_and_terminal_write_a_value_alike(value: Concrete) -> None:
    words = {"a": "a", "n2": "n2", "n10": "n10", "req": '"req"', "t": '"t"', "to": '"to"', "x": '"x"'}
    page = Notation(is_tla=True, model_values=frozenset({"a", "n2", "n10"}))
    assert page.text(value) == show_tla(value, words)


def test_words_are_in_the_order_of_their_numbers() -> None:
    assert show_tla(frozenset({"n10", "n9"}), {"n10": "n10", "n9": "n9"}) == "{n9, n10}"


def test_the_words_of_a_value_are_listed() -> None:
    assert set(list_words((FrozenMap({"a": frozenset({"req"})}), Tagged("t", "x"), 1))) == {"a", "req", "x"}


_MODULE = r"""---- MODULE N ----
EXTENDS Naturals, Sequences
CONSTANTS a, None
VARIABLES q, holder
Init == q = <<>> /\ holder = None
Send(m) == Len(q) < 3 /\ q' = Append(q, m) /\ UNCHANGED holder
Take == q # <<>> /\ holder' = Head(q).by /\ q' = Tail(q)
Next == Take \/ \E n \in 0..1 : Send([by |-> a, kind |-> "a", pair |-> <<"s", n>>])
Free == holder # a
====
"""
_STEPS = """ 0  initially
    q: <<>>   holder: None
 1  Send(m=[by |-> a, kind |-> "a", pair |-> <<"s", 0>>])
    q: appended [by |-> a, kind |-> "a", pair |-> <<"s", 0>>]
 2  Take()
    q: dropped [by |-> a, kind |-> "a", pair |-> <<"s", 0>>]
    holder: None → a
"""


@pytest.mark.parametrize("words", [
    ("explore",),
    ("bmc", "--depth", "4", "--shortest", "--by", "translation"),
    ("simulate", "--by", "interpreter", "--depth", "2", "--seed", "3"),
])  # fmt: skip
def test_executions_of_modules_are_in_tla(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "N.tla").write_text(_MODULE)
    (tmp_path / "N.cfg").write_text("CONSTANTS a = a\nNone = None\nINIT Init\nNEXT Next\nINVARIANT Free\n")
    done = verify(words[0], str(tmp_path / "N.tla"), *words[1:])
    assert _STEPS in done.stdout.replace('"s", 1>>', '"s", 0>>'), done.output
