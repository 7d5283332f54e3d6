"""Names of a module that mean something else in Python are read for all constants like others, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.command_line import verify
from verifier.parametric.lifted import read_field
from verifier.parametric.protocol_readings import ParametricReading
from verifier.runs.loading import load
from verifier.runs.reading_for_all import reading_of
from verifier.tla.first_order.scopes import Unread

MODULE = r"""---- MODULE Names ----
EXTENDS Naturals, FiniteSets
CONSTANTS <number>, <set>
ASSUME <number> > 0 /\ Cardinality(<set>) > <number>
VARIABLES <variable>, other
TypeOK == <variable> \in SUBSET <set> /\ other \in 0..<number>
Init == <variable> = {} /\ other = 0
Next == \E <parameter> \in <set> : <variable>' = <variable> \cup {<parameter>} /\ UNCHANGED other
Claim == <claim>
====
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT Claim\nCONSTANTS <number> = 1\n<set> = {a, b}\n"
PYTHON = ["class", "lambda", "None", "is", "self", "s", "cls", "protocol", "given", "value", "then", "term"]


def _read(folder: Path, claim: str = "other = 0", **names: str) -> ParametricReading:
    own = {"number": "N", "set": "Node", "variable": "x", "parameter": "n", "claim": claim} | names
    module, config = MODULE, CONFIG
    for place, name in own.items():
        module, config = module.replace(f"<{place}>", name), config.replace(f"<{place}>", name)
    (folder / "Names.tla").write_text(module)
    (folder / "Names.cfg").write_text(config)
    loaded = load(str(folder / "Names.tla"), {})
    assert loaded.source is not None
    return reading_of(loaded.source.as_protocol(loaded, ("Claim",), ()))


@pytest.mark.parametrize("name", [*PYTHON, "2PC", "_x"])
def test_a_number_may_have_any_name(tmp_path: Path, name: str) -> None:
    """The ASSUMEs are evaluated as code of the protocol."""
    reading = _read(tmp_path, number=name)
    assert any(one.words == f"{name} > 0" for one in reading.assumptions)


@pytest.mark.parametrize("place", ["set", "variable", "parameter"])
@pytest.mark.parametrize("name", PYTHON)
def test_other_names_may_be_those_of_python(tmp_path: Path, place: str, name: str) -> None:
    definition = _read(tmp_path, **{place: name}).definition
    assert [action.name for action in definition.actions] == ["Next"]


SENT = r"""---- MODULE Sent ----
EXTENDS Naturals
CONSTANTS class, lambda
ASSUME class # {} /\ lambda \in Nat
VARIABLES try, as, with
TypeOK == try \in SUBSET class /\ as \in [class -> [from : 0..lambda]] /\ with \in SUBSET class
Init == try = {} /\ as = [n \in class |-> [from |-> 0]] /\ with = {}
Try(n) == try' = try \cup {n} /\ UNCHANGED <<as, with>>
Count(n) == n \in try /\ as[n].from < lambda /\ as' = [as EXCEPT ![n].from = @ + 1] /\ UNCHANGED <<try, with>>
End(n) == as[n].from > 0 /\ with' = with \cup {n} /\ UNCHANGED <<try, as>>
Next == \E n \in class : Try(n) \/ Count(n) \/ End(n)
Claim == with \subseteq try
====
"""


@pytest.mark.parametrize("name", [*PYTHON, "from", "2PC", "x"])
def test_the_text_that_reads_a_field_is_python(name: str) -> None:
    whole = SimpleNamespace(**{name: 7})
    assert eval(read_field("whole", name), {"whole": whole}) == 7


@pytest.mark.thorough
def test_lemmas_are_found_whatever_the_names_are(tmp_path: Path) -> None:
    (tmp_path / "Sent.tla").write_text(SENT)
    (tmp_path / "Sent.cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANT Claim\nCHECK_DEADLOCK FALSE\nCONSTANTS class = {a, b} lambda = 2\n"
    )
    words = ("prove", str(tmp_path / "Sent.tla"), "--all-constants", "--suggest", "--format", "json")
    result = verify(*words)
    assert result.exit_code == 0, result.output
    (text,) = json.loads(result.stdout)["statistics"]["suggested"]["Claim"]
    assert "EXTENDS Sent" in text
    assert "from" in text


def test_a_constant_with_the_name_of_an_attribute_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unread, match="the name constants means something else in protocols"):
        _read(tmp_path, set="constants")


@pytest.mark.parametrize(
    "claim", [r"{} \in ({{}} \cup {x})", r"x \in {{}} \cup {x}", r"x \in ({x} \cup {{}})"]
)
def test_an_empty_set_in_a_set_has_the_kind_of_the_others(tmp_path: Path, claim: str) -> None:
    assert _read(tmp_path, claim).definition.properties


@pytest.mark.parametrize("claim", [r"{} \in {{}}", r"\E q \in {{}} : q = {}", "{{}} = {{}}"])
def test_empty_sets_whose_elements_nothing_tells_are_refused(tmp_path: Path, claim: str) -> None:
    with pytest.raises(Unread, match=r"Names\.tla:9:"):
        _read(tmp_path, claim)
