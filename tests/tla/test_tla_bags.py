"""Bags of the module Bags as in TLC, which looks at multiplicities in some operators only (``Bags.java``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.command_line import verify
from verifier.tla import bags
from verifier.tla.value_types import Fn, NoValue

HOLD = (
    "BagToSet(2 :> zero) = {2}",
    "BagIn(2, 2 :> zero + 1)",
    "~BagIn(3, 2 :> zero)",
    "CopiesIn(2, 2 :> zero) = 0",
    "(2 :> zero) \\sqsubseteq (2 :> 1)",
    "BagCardinality(2 :> zero + 3) = 3",
    "(2 :> zero + 1) (+) (2 :> 1) = (2 :> 2)",
    "(2 :> zero) (-) (2 :> 1) = <<>>",
)
NO_VALUE = (
    "BagCardinality(2 :> zero) = 0",
    "BagCardinality(2 :> zero - 1) = -1",
    "(2 :> zero) (+) (2 :> 1) = (2 :> 1)",
    "(2 :> 1) (+) (3 :> zero) = (2 :> 1)",
    "BagIn(2, 2 :> zero)",
    "~BagIn(2, 2 :> zero - 1)",
)
"""Claims for which TLC 2026.04 ends with an error, and those of ``BagIn``, whose definition is true where
TLC says FALSE."""


def _module(folder: Path, claim: str) -> str:
    (folder / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Integers, Bags, TLC\nVARIABLE zero\n"
        "Init == zero = 0\nNext == zero' = zero\n"
        f"Claim == {claim}\n====\n"
    )
    (folder / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Claim\n")
    return str(folder / "M.tla")


@pytest.mark.parametrize("reader", ["interpreter", "translation"])
@pytest.mark.parametrize("claim", HOLD)
def test_functions_that_are_no_bags_have_a_value_where_tlc_gives_one(
    tmp_path: Path, claim: str, reader: str
) -> None:
    done = verify("explore", _module(tmp_path, claim), "--by", reader, "--format", "json")
    assert {one["verdict"] for one in json.loads(done.stdout)["results"]} == {"HOLDS"}


@pytest.mark.parametrize("reader", ["interpreter", "translation"])
@pytest.mark.parametrize("claim", NO_VALUE)
def test_functions_that_are_no_bags_are_neither_counted_nor_united(
    tmp_path: Path, claim: str, reader: str
) -> None:
    done = verify("explore", _module(tmp_path, claim), "--by", reader)
    assert done.exit_code == 2
    assert "a bag has positive integers as its values" in done.stderr


@pytest.mark.parametrize(
    "claim",
    ["SubBag(2 :> zero) = {<<>>}", "BagIn(2, 2 :> {zero})", '~((2 :> 1 @@ 3 :> 1) \\sqsubseteq (3 :> "a"))'],
)
def test_the_interpreter_gives_no_value_where_tlc_gives_none(tmp_path: Path, claim: str) -> None:
    done = verify("explore", _module(tmp_path, claim))
    assert done.exit_code == 2
    assert "a bag has" in done.stderr


def test_a_difference_has_no_item_whose_count_is_not_positive() -> None:
    difference = cast("Any", bags)._subtract
    bag = Fn({"a": 3, "b": 1, "c": 2})
    assert difference(bag, Fn({"a": 1, "b": 1, "d": 5})) == Fn({"a": 2, "c": 2})
    assert difference(Fn({"a": 0, "b": -1, "c": 2}), Fn({"a": -4})) == Fn({"a": 4, "c": 2})
    assert difference((), Fn({"a": 1})) == ()
    with pytest.raises(NoValue, match="integers"):
        difference(bag, Fn({"a": "no"}))
    assert difference(bag, Fn({"z": "no"})) == bag
    with pytest.raises(NoValue, match="kinds"):
        difference(bag, Fn({7: 1}))
