"""A protocol without an initial state is refused by every engine, with the reason, and never passes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support import starting
from tests.support.command_line import ROOT, verify, wrong
from tests.support.models import build
from verifier.encodings.bits import bit, conjunction, disjunction, negation
from verifier.engines import bmc, explore, induction, prove, simulate
from verifier.engines.choices import EngineChoice
from verifier.interchange.exporting import Format, export
from verifier.outcomes.row import Row
from verifier.solvers import ClauseSolver, open_solver
from verifier.specs.built_in import BUILT_IN
from verifier.specs.protocol import DefinitionError, Protocol
from verifier.specs.registry import load
from verifier.sweep.execution import run_job
from verifier.sweep.expansion import expand
from verifier.sweep.grid import Axis, Grid
from verifier.system.model import Model
from verifier.trust import initial_states
from verifier.trust.certificate import FoundBy, certificate_of, dump
from verifier.trust.certify import check as certify
from verifier.trust.initial_states import NoInitialState, require_initial_state
from verifier.verdict import VerdictKind

SPECS = str(ROOT / "tests" / "support" / "starting.py")
WORDS: dict[type[Protocol], str] = {
    starting.InitContradicts: "no state satisfies init, so that every claim would hold",
    starting.ConstraintContradicts: "no state satisfies the constraint, so that nothing can happen",
    starting.ConstraintExcludes: "the constraint excludes every initial state, so that nothing can happen",
}
FOUND_BY = FoundBy("ic3", "minisat", "1")


def _prove(choice: EngineChoice) -> Callable[[Model], object]:
    return lambda model: prove.check(model, prove.Request(("Nonsense",), choice))


def _export(form: Format) -> Callable[[Model], object]:
    return lambda model: export(model, ("Nonsense",), form)


def _certify(model: Model) -> object:
    return certify(model, certificate_of(model, "Nonsense", ("Never",), (), FOUND_BY), "z3")


ENGINES: dict[str, Callable[[Model], object]] = {
    "bmc": lambda model: bmc.check(model, bmc.Request(("Nonsense",), 3)),
    "explore": lambda model: explore.explore(model, explore.Request(("Nonsense",))),
    "simulate": lambda model: simulate.simulate(model, simulate.Request(("Nonsense",), walks=10)),
    "induct": lambda model: induction.induct(model, induction.Request("Nonsense")),
    **{f"prove {choice}": _prove(choice) for choice in EngineChoice},
    "certify": _certify,
    **{f"export {form}": _export(form) for form in Format},
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("protocol", WORDS)
def test_every_engine_refuses(protocol: type[Protocol], engine: str) -> None:
    model = build(protocol())
    with pytest.raises(NoInitialState, match=f"^{protocol.spec_name()} with most=3: {WORDS[protocol]}"):
        ENGINES[engine](model)


COMMANDS = (
    ("bmc", "--depth", "3"),
    ("bmc", "--steps", "serial"),
    ("bmc", "--steps", "parallel"),
    ("bmc", "--shortest"),
    ("bmc", "--deadlock"),
    ("explore",),
    ("explore", "--symmetry"),
    ("simulate",),
    ("prove",),
    ("prove", "--engine", "ic3"),
    ("prove", "--engine", "kind"),
    ("prove", "--property", "Top"),
    ("induct",),
    ("export", "--format", "btor2", "--out", "never-written"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_refuses(command: tuple[str, ...]) -> None:
    name, *options = command
    for form in ((), ("--format", "json")) if name not in ("export",) else ((),):
        done = verify(name, "--spec", f"{SPECS}:ConstraintExcludes", *options, *form)
        assert (done.exit_code, done.stdout) == (2, "")
        line = done.stderr.splitlines()[-1]
        assert line.startswith(
            "verify: constraint-excludes with most=3: the constraint excludes every initial"
        )
    assert not Path("never-written").exists()


def test_certify_refuses(tmp_path: Path) -> None:
    """A lemma that is always false is inductive where nothing is initial."""
    model = build(starting.InitContradicts())
    path = tmp_path / "proof.json"
    path.write_text(dump(model, certificate_of(model, "Nonsense", ("Never",), (), FOUND_BY)))
    assert "no state satisfies init" in wrong("certify", str(path), "--spec", f"{SPECS}:InitContradicts")


def test_a_variable_without_values_is_refused() -> None:
    with pytest.raises(
        DefinitionError, match=r"^no-value: y cannot have a value: 1\.\.0 is empty; give it one"
    ):
        build(starting.NoValue())
    assert "y cannot have a value" in wrong("bmc", "--spec", f"{SPECS}:NoValue")


def rows_of(protocol: str, *engines: str, most: tuple[int, ...] = ()) -> list[Row]:
    axes = (Axis("most", most),) if most else ()
    grid = Grid((f"{SPECS}:{protocol}",), ("Nonsense",), engines, axes, depth=3)
    return [row for job in expand([grid]).jobs for row in run_job(job, "run")]


def test_a_sweep_has_rows_that_say_it() -> None:
    for row in rows_of("InitContradicts", "bmc", "explore", "prove", "induct"):
        assert (row.verdict, row.exit_code) == (VerdictKind.ERROR, 1)
        assert row.reason is not None
        assert row.reason.startswith("init-contradicts with most=3: no state satisfies init")
    for row in rows_of("NoValue", "bmc"):
        assert (row.verdict, row.error) == (VerdictKind.ERROR, row.reason)
        assert "y cannot have a value" in (row.reason or "")
    assert [row.verdict for row in rows_of("Sometimes", "bmc", most=(2, 3))] == [
        VerdictKind.ERROR,
        VerdictKind.VIOLATED,
    ]


def test_a_sweep_of_jobs_that_are_all_rejected_is_an_error(tmp_path: Path) -> None:
    assumed = wrong("sweep", "--spec", f"{SPECS}:Assuming", "--out", str(tmp_path / "rows"))
    assert "assumes most > 100" in assumed
    one = wrong("bmc", "--spec", f"{SPECS}:Assuming")
    assert one.endswith("assuming assumes most > 100; its defaults are most=3")


def test_ci_refuses(tmp_path: Path) -> None:
    manifest = tmp_path / "verify.toml"
    cell = f'[[cell]]\nid = "none"\nspec = "{SPECS}:InitContradicts"\ndepth = 2\n'
    manifest.write_text(f'{cell}[cell.expect]\nNonsense = "holds"\nTypeInvariant = "holds"\n')
    done = verify("ci", str(manifest), "--format", "json")
    assert done.exit_code == 2
    (found,) = json.loads(done.stdout)["cells"]
    assert any("no state satisfies init" in (check["surprise"] or "") for check in found["checks"])


def test_what_literals_fix_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c, d = (bit(f"initial{index}") for index in range(4))
    one_way = [conjunction((a, disjunction((negation(a), b)))), disjunction((negation(b), negation(c)))]
    either = disjunction((conjunction((c, d)), conjunction((negation(c), negation(d)))))
    asked: list[str] = []
    opened = open_solver

    def note(name: str) -> ClauseSolver:
        asked.append(name)
        return opened(name)

    monkeypatch.setattr(initial_states, "open_solver", note)
    solution = initial_states.solution
    assert solution(one_way) == frozenset((a, b))
    assert solution([*one_way, c]) is None
    assert solution([*one_way, either, negation(d)]) == frozenset((a, b))
    assert not asked
    assert solution([b, either, disjunction((c, d)), disjunction((negation(b), a))]) == frozenset(
        (a, b, c, d)
    )
    only = [disjunction((c, d)), disjunction((c, negation(d))), disjunction((negation(c), d))]
    assert solution([*only, disjunction((negation(c), negation(d)))]) is None
    assert len(asked) == 2


def test_the_built_in_protocols_have_initial_states() -> None:
    for name in BUILT_IN:
        require_initial_state(build(load(name)({})))
    require_initial_state(build(starting.Sometimes()))
    with pytest.raises(NoInitialState, match="with most=2"):
        require_initial_state(build(starting.Sometimes({"most": 2})))


def test_a_wide_number_of_the_initial_state_is_no_long_work() -> None:
    """It is wellformed by a chain: what one bit is fixes the next, and so on, which is the solver's work."""
    chain = [bit(f"initial.chain{number}") for number in range(3000)]
    ordered = [disjunction((low, negation(high))) for low, high in pairwise(chain)]
    began = time.process_time()
    two = [*ordered, chain[1], negation(chain[2])]
    assert initial_states.solution(two) == frozenset(chain[:2])
    assert initial_states.solution([*two, chain[-1]]) is None
    assert time.process_time() - began < 10
