"""Formulas that name all elements of a set become quantified inside."""

from __future__ import annotations

import pytest

from verifier.parametric.covered import cover_elements

NODES = {"self.Node": 2}
A_B = (("a", "self.Node"), ("b", "self.Node"))


def _cover(variables: tuple[tuple[str, str], ...], *parts: str, sizes: dict[str, int] = NODES) -> list[str]:
    found = cover_elements(variables, parts, sizes)
    return [f"{' '.join(name for name, _ in kept)}: {' & '.join(said)}" for kept, said in found]


def test_all_elements_become_a_quantifier() -> None:
    found = _cover(A_B, "(a != b)", "~s.has[a]", "~s.has[b]")
    assert found == [": forall(~s.has[e1] for e1 in self.Node)"]


def test_all_pairs_of_two_sets_become_two_quantifiers() -> None:
    variables = (*A_B, ("c", "self.Value"), ("d", "self.Value"), ("e", "self.Key"))
    parts = [f"~s.sent.contains(({node}, {value}, e))" for node in "ab" for value in "cd"]
    (found,) = _cover(variables, *parts, sizes={"self.Node": 2, "self.Value": 2, "self.Key": 2})
    within = "forall(~s.sent.contains((e1, e2, e)) for e1 in self.Node)"
    assert found == f"e: forall({within} for e2 in self.Value)"


def test_all_but_one_element_become_all_others() -> None:
    variables = (*A_B, ("c", "self.Node"))
    parts = ("(a != b)", "s.leader[a]", "~s.voted[b]", "~s.voted[c]")
    found = _cover(variables, *parts, sizes={"self.Node": 3})
    assert "a: s.leader[a] & forall((e1 == a) | ~s.voted[e1] for e1 in self.Node)" in found


@pytest.mark.parametrize(
    ("variables", "parts", "sizes"),
    [
        (A_B, ("~s.has[a]", "s.has[b]"), {"self.Node": 3}),
        (A_B[:1], ("~s.has[a]",), {"self.Node": 1}),
        (A_B, ("s.pair.contains((a, b))",), NODES),
    ],
    ids=["some elements", "one element", "both in one part"],
)
def test_other_formulas_stay(
    variables: tuple[tuple[str, str], ...], parts: tuple[str, ...], sizes: dict[str, int]
) -> None:
    assert _cover(variables, *parts, sizes=sizes) == []


def test_words_are_no_variables() -> None:
    """The word a is a value here, not the variable."""
    parts = ("(s.pc[a] == 'a')", "(s.pc[b] == 'a')")
    assert _cover(A_B, *parts) == [": forall((s.pc[e1] == 'a') for e1 in self.Node)"]
