"""SMT-LIB and VMT-LIB: Z3, pySMT and PyVMT read the files and come to the known verdicts."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import z3
from pysmt.shortcuts import And, Not, Symbol, is_sat
from pysmt.smtlib.parser import SmtLibParser

from tests.engines.test_ic3 import SMALL
from tests.support.command_line import ROOT
from tests.support.exporting import KNOWN, ManyStarts, model_of, name_case
from tests.support.models import build
from tests.support.toys import Chain, LockServer, Lottery
from verifier.interchange.exporting import Exported, Format, export
from verifier.specs.kafka.kip320 import Kip320
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.model import Model
from verifier.trust.replay import Replayer

DEEPEST = 8


def _read(exports: Mapping[str, Exported], folder: Path) -> dict[str, Any]:
    """Return PyVMT's reading of some files."""
    for name, exported in exports.items():
        (folder / f"{name}.vmt").write_bytes(exported.content)
    command = [sys.executable, "-m", "tests.support.vmt_reader", str(DEEPEST)]
    paths = [str(folder / f"{name}.vmt") for name in exports]
    done = subprocess.run([*command, *paths], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _shortest(holds: Callable[[int], bool]) -> int | None:
    """The fewest steps to a violation, where ``holds`` decides each number of steps."""
    return next((steps for steps in range(DEEPEST + 1) if not holds(steps)), None)


def test_pyvmt_finds_the_known_verdicts(tmp_path: Path) -> None:
    pytest.importorskip("pyvmt")
    models = {name_case(case): model_of(case[0]) for case in KNOWN}
    exports = {name_case(case): export(models[name_case(case)], (case[1],), Format.VMT) for case in KNOWN}
    found = _read(exports, tmp_path)
    assert {name: each["shortest"] for name, each in found.items()} == {name_case(c): c[2] for c in KNOWN}
    for name, model in models.items():
        assert found[name]["state"] == len(model.system.bits)
        free = sum(len(instance.inputs) for instance in model.system.instances)
        assert found[name]["inputs"] == len(model.system.instances) + free


@pytest.mark.parametrize("case", KNOWN, ids=name_case)
def test_z3_finds_the_known_verdict_by_the_definitions(case: Any) -> None:
    protocol, name, length = case
    model = model_of(protocol)
    exported = export(model, (name,), Format.SMT2)
    text, names = exported.content.decode(), exported.names
    init, trans, prop = (_z3(text, part) for part in ("is-init", "is-trans", names["properties"][0]["holds"]))
    bits = [place for field in names["state"] for place in field["bits"]]
    pairs = [(z3.Bool(place["symbol"][1:-1]), z3.Bool(place["next"][1:-1])) for place in bits]
    now, after = [now for now, _ in pairs], [after for _, after in pairs]
    states = [[z3.FreshBool() for _ in pairs] for _ in range(DEEPEST + 1)]
    entries = names["instances"]
    places = [e["taken"] for e in entries] + [p for e in entries for f in e["free"] for p in f["bits"]]
    inputs = [z3.Bool(place["symbol"][1:-1]) for place in places]
    solver = z3.Solver()
    solver.add(z3.substitute(init, *zip(now, states[0], strict=True)))

    def holds(steps: int) -> bool:
        if steps:
            own = [z3.FreshBool() for _ in inputs]
            old, new = (*now, *after, *inputs), (*states[steps - 1], *states[steps], *own)
            solver.add(z3.substitute(trans, *zip(old, new, strict=True)))
        violated = z3.Not(z3.substitute(prop, *zip(now, states[steps], strict=True)))
        return bool(solver.check(violated) == z3.unsat)

    assert _shortest(holds) == length


def _z3(text: str, name: str) -> z3.BoolRef:
    return z3.parse_smt2_string(f"{text}\n(assert {name})")[0]


@pytest.mark.parametrize(
    "protocol", [Chain(), LockServer(), Lottery(), ManyStarts()], ids=lambda p: p.spec_name()
)
def test_initiation_and_consecution_are_as_enumerated(protocol: Any, tmp_path: Path) -> None:
    """Of all states, reachable or not: what a solver says of the definitions, and what the evaluator does."""
    pytest.importorskip("pyvmt")
    model = model_of(protocol)
    names = [prop.name for prop in model.system.properties]
    found = _read({name: export(model, (name,), Format.VMT) for name in names}, tmp_path)
    for name in names:
        assert (found[name]["initially"], found[name]["inductive"]) == _enumerate(model, name)
    assert {found[name]["inductive"] for name in names} == {True, False}


@pytest.mark.parametrize("case", KNOWN, ids=name_case)
def test_pysmt_reads_the_annotations(case: Any) -> None:
    protocol, name, _ = case
    model = model_of(protocol)
    exported = export(model, (name,), Format.VMT)
    annotations = SmtLibParser().get_script(io.StringIO(exported.content.decode())).annotations
    (init,) = annotations.all_annotated_formulae("init", "true")
    (trans,) = annotations.all_annotated_formulae("trans", "true")
    (prop,) = annotations.all_annotated_formulae("invar-property", "0")
    bits = [Symbol(bit.symbol_name()) for bit in model.system.bits]
    assert set(init.get_free_variables()) <= set(bits)
    following = {next(iter(annotations[bit]["next"])) for bit in bits}
    assert following == {f"{bit.symbol_name()}'" for bit in model.system.bits}
    initially = not is_sat(And(init, Not(prop)), solver_name="z3")
    assert initially == (case[2] != 0)
    assert is_sat(trans, solver_name="z3")


def _enumerate(model: Model, name: str) -> tuple[bool, bool]:
    """True if a property holds initially, and whether every step from a state keeps it."""
    replayer, initially, inductive = Replayer(model), True, True
    for bits in product((False, True), repeat=len(model.system.bits)):
        try:
            model.layout.decode_state(bits)
        except ValueError:
            continue
        if name in replayer.find_violated(bits):
            initially = initially and not replayer.is_initial(bits)
            continue
        for instance in model.system.instances:
            for inputs in product((False, True), repeat=len(instance.inputs)):
                after = replayer.successor(bits, instance, inputs)
                inductive = inductive and (after is None or name not in replayer.find_violated(after))
    return initially, inductive


def test_codes_without_a_value_take_no_part() -> None:
    text = export(build(LockServer()), ("NotAllAsk",), Format.SMT2).content.decode()
    solver = z3.Solver()
    solver.add(z3.Not(_z3(text, "is-valid")), z3.Or(_z3(text, "is-init"), _z3(text, "is-trans")))
    assert solver.check() == z3.unsat


def test_a_stuck_state_has_a_successor() -> None:
    """So that readers that look at infinite executions only see it, too."""
    model = model_of(Chain())
    text = export(model, (NO_DEADLOCK,), Format.SMT2).content.decode()
    solver = z3.Solver()
    solver.add(z3.Not(_z3(text, f"|holds {NO_DEADLOCK}|")), _z3(text, "is-trans"))
    assert solver.check() == z3.sat


def test_several_properties_have_their_numbers(tmp_path: Path) -> None:
    exported = export(build(Kip320(SMALL)), ("WeakIsr", "StrongIsr"), Format.VMT)
    assert [prop["index"] for prop in exported.names["properties"]] == [0, 1]
    assert "(! |holds StrongIsr| :invar-property 1)" in exported.content.decode()
