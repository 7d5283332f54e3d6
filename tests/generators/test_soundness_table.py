"""Texts that were answered wrongly once: no engine claims what is false."""

from __future__ import annotations

from pathlib import Path

import pytest

from results.generators.soundness_table import (
    ENGINES,
    OF_PROTOCOLS,
    PROTOCOLS,
    Truth,
    ask_verdicts,
    is_more,
    is_wrong,
    judge_properties,
    modules,
    of_tlc,
)

_SHARED = Path(__file__).resolve().parents[3] / "shared"
_FOLDER, _TLC = _SHARED / "soundness", _SHARED / "tla" / "tlc"
_MODULES = [pytest.param(one, id=one.stem) for one in modules(_FOLDER)]
_needs_folder = pytest.mark.skipif(not _FOLDER.is_dir(), reason="the texts stand beside the checkout")
_QUICK = {
    "latest/translation/SeqInProduct.tla": {"Inv": Truth("violated", 2)},
    "latest/translation/FiniteSet.tla": {"Inv": Truth("violated", 0)},
}


def _claim(depth: int | None, verdict: str = "HOLDS", name: str = "Inv") -> list[dict[str, object]]:
    return [{"property": name, "verdict": verdict, "depth": depth, "steps": None}]


def test_what_counts_as_wrong() -> None:
    violated = {"Inv": Truth("violated", 2)}
    assert is_wrong(violated, _claim(2))
    assert is_wrong(violated, _claim(None, "PROVED"))
    assert is_wrong(violated, _claim(2) + _claim(1, "INCONCLUSIVE", "Other"))
    assert not is_wrong(violated, _claim(1))
    assert not is_wrong(violated, _claim(None, "INCONCLUSIVE"))
    assert not is_wrong(violated, _claim(None, "PROVED", "Other"))
    assert judge_properties(violated, [_claim(2), _claim(None, "PROVED", "Other")]) == {"Inv"}
    with pytest.raises(ValueError, match="no verdict is of one of Inv"):
        judge_properties(violated, [_claim(None, "PROVED", "Other")])
    assert is_wrong(violated, _claim(None, "ERROR"))
    assert is_wrong({"Inv": Truth("holds")}, _claim(None, "VIOLATED"))
    assert is_more({"Inv": Truth("error")}, _claim(None, "PROVED"))
    assert not is_more({"Inv": Truth("error")}, _claim(None, "ERROR"))
    assert is_more({"Inv": Truth("error", 3)}, _claim(3))
    assert not is_more({"Inv": Truth("error", 3)}, _claim(2))


@_needs_folder
def test_a_property_is_asked_alone() -> None:
    truths = of_tlc(_FOLDER / "latest" / "excluded_key.tla", _TLC)
    assert sorted(truths) == ["I1", "I2", "I3", "I4", "P"]
    assert Truth("violated", 2) in truths.values()


@_needs_folder
@pytest.mark.parametrize("engine", ["explore, translation", "bmc serial", "k-induction", "induct"])
@pytest.mark.parametrize("name", _QUICK)
def test_a_few_modules(name: str, engine: str) -> None:
    verdicts, refusal = ask_verdicts(_FOLDER / name, ENGINES[engine], 30)
    assert verdicts, refusal
    assert not is_wrong(_QUICK[name], verdicts)


@_needs_folder
@pytest.mark.thorough
@pytest.mark.parametrize("text", _MODULES)
def test_every_module(text: Path) -> None:
    truths = of_tlc(text, _TLC)
    assert truths
    for engine, words in ENGINES.items():
        verdicts, _ = ask_verdicts(text, words, 30)
        assert not is_wrong(truths, verdicts), (engine, verdicts)


@_needs_folder
@pytest.mark.thorough
@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol(name: str) -> None:
    for engine, words in OF_PROTOCOLS.items():
        verdicts, _ = ask_verdicts(_FOLDER / name, words, 30)
        assert not is_wrong(PROTOCOLS[name], verdicts), (engine, verdicts)
