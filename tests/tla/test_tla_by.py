"""``--by``: the interpreter and the translation answer the same, and neither answers for the other."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.lasting_modules import MODULES
from tests.support.sampling import rest_slow
from tests.support.tla_modules import write_module
from verifier.runs.modules import refining
from verifier.runs.modules.policy import POLICY
from verifier.tla.translate import sampling

COUNTER = """EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y \\in {0, 1}
Up == x < 4 /\\ x' = x + 1 /\\ UNCHANGED y
Skip == x = 2 /\\ x' = 4 /\\ UNCHANGED y
Flip == y = 0 /\\ y' = 1 /\\ UNCHANGED x
Next == Up \\/ Skip \\/ Flip
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Up)
Small == x < 4
Inv == x <= 4
OneByOne == [][x' <= x + 1]_x
Both == [](x < 5) /\\ [][y' >= y]_y
Ends == <>(x = 4)
"""
CONFIG_OF_STATES = "INIT Init\nNEXT Next\n"
CONFIG = "SPECIFICATION Spec\nINVARIANTS Small Inv\nPROPERTIES OneByOne Both Ends\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_module(tmp_path, COUNTER)
    (tmp_path / "M.cfg").write_text(CONFIG)
    return tmp_path


def _ask(*words: str) -> tuple[dict[str, Any], str]:
    result = verify(*words, "--format", "json")
    assert result.exit_code in (0, 10, 12, 13), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found, result.stderr


def _verdicts(run: dict[str, Any]) -> dict[str, tuple[str, int | None]]:
    return {one["property"]: (one["verdict"], one["steps"]) for one in run["results"]}


ENGINES = {
    "explore": ("explore", "M.tla", "--keep-going"),
    "bmc": ("bmc", "M.tla", "--depth", "6", "--shortest"),
    "prove": ("prove", "M.tla", "--deadlock"),
    "live": ("live", "M.tla"),
    "simulate": ("simulate", "M.tla", "--walks", "200"),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_both_semantics_answer_the_same(folder: Path, engine: str) -> None:
    own, _ = _ask(*ENGINES[engine], "--by", "interpreter")
    other, _ = _ask(*ENGINES[engine], "--by", "translation")
    assert own["statistics"]["semantics"] == "interpreter"
    assert other["statistics"]["semantics"] == "translation"
    found, expected = _verdicts(own), _verdicts(other)
    if engine == "explore":
        del expected["Both!step"]  # which the interpreter checks with Both
    if engine in ("explore", "bmc"):
        assert found == expected  # with the fewest steps
    else:
        assert {n: v for n, (v, _) in found.items()} == {n: v for n, (v, _) in expected.items()}
    assert own["exit_code"] == other["exit_code"]
    if engine == "explore":
        counts = ("distinct_states", "generated_states", "depth", "levels", "initial_states", "deadlocks")
        assert [own["statistics"][n] for n in counts] == [other["statistics"][n] for n in counts]
    for one in own["results"]:
        if one["trace"] is not None:
            (folder / "t.itf.json").write_text(json.dumps(one["trace"]))
            assert verify("replay", "t.itf.json", "--spec", "M.tla").exit_code == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_the_interpreter_alone_translates_nothing(
    folder: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def translating(*_: object, **__: object) -> None:
        raise AssertionError("it is translated")

    places = ("refining.translate_module", "refining.run_from_sample", "translated_exploring.guess_sorts")
    for place in places:
        monkeypatch.setattr(f"verifier.runs.modules.{place}", translating)
    run, _ = _ask(*ENGINES[engine], "--by", "interpreter")
    assert run["statistics"]["semantics"] == "interpreter"


def _level(folder: Path) -> None:
    small = MODULES["level"]
    (folder / "M.tla").write_text(small.text().replace("====", "Inv == x < 9\n===="))
    config = f"SPECIFICATION SpecNext\nPROPERTY Leaves\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n{small.config}"
    (folder / "M.cfg").write_text(config)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_translation_alone_refuses_with_the_place(folder: Path, engine: str) -> None:
    _level(folder)
    assert "M.tla:7:" in wrong(*ENGINES[engine], "--by", "translation")


@pytest.mark.parametrize("engine", ["explore", "bmc", "live", "simulate"])
def test_what_is_not_translated_is_answered_by_the_interpreter_which_is_said(
    folder: Path, engine: str
) -> None:
    _level(folder)
    run, said = _ask(*ENGINES[engine])
    assert run["statistics"]["semantics"] == "interpreter"
    assert "by the interpreter: " in said
    worst = {one["verdict"] for one in run["results"]}
    assert worst <= {"HOLDS", "PROVED", "INCONCLUSIVE"}


def test_levels_of_the_search_are_those_of_a_lasso(folder: Path) -> None:
    """As TLC has them, which finds this property violated, and the other one not."""
    write_module(
        folder,
        'EXTENDS Naturals, TLC\nVARIABLES x, y\nInit == TLCGet("level") = 0 /\\ x = 0 /\\ y = 0\n'
        "Next == x < 3 /\\ x' = x + 1 /\\ y' = TLCGet(\"level\")\n"
        "Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\n"
        'Early == <>[](x = 2)\nLate == <>[](x = 3) /\\ [](x > 0 => <>(TLCGet("level") = x + 1))\n',
    )
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Early Late\nCHECK_DEADLOCK FALSE\n")
    run, _ = _ask("live", "M.tla")
    assert run["statistics"]["semantics"] == "interpreter"
    found = {name: verdict for name, (verdict, _) in _verdicts(run).items()}
    assert found == {"Early": "VIOLATED", "Late": "PROVED"}


def test_python_protocols_have_one_semantics() -> None:
    assert "--by interpreter is for TLA+ modules" in wrong("bmc", "kip101", "--by", "interpreter")
    assert "it takes auto, interpreter or translation" in wrong("bmc", "kip101", "--by", "tlc")


def test_options_that_say_how_to_search_do_not_go_with_the_interpreter(folder: Path) -> None:
    by = ("--by", "interpreter")
    assert "--engine l2s" in wrong("live", "M.tla", "--engine", "prove", *by)
    assert "--no-explore" in wrong("live", "M.tla", "--no-explore", *by)
    assert "--steps" in wrong("bmc", "M.tla", "--depth", "3", "--steps", "serial", *by)
    refused = wrong("bmc", "M.tla", "--depth", "3", "--solver", "z3", *by)
    assert "--solver cannot be combined with --by interpreter, which uses no solver" in refused
    assert "--certificate" in wrong("prove", "M.tla", "--engine", "ic3", *by)
    assert "--histogram" in wrong("simulate", "M.tla", "--histogram", "s.x", *by)


def test_walks_of_the_interpreter_count_and_repeat(folder: Path) -> None:
    words = ("simulate", "M.tla", "--property", "none", "--walks", "300", "--by", "interpreter")
    counted = ("--count-action", "Flip")
    one, _ = _ask(*words, *counted, "--seed", "3")
    again, _ = _ask(*words, *counted, "--seed", "3")
    other, _ = _ask(*words, *counted, "--seed", "4")
    figures, expected = one["statistics"], again["statistics"]
    for name in ("lengths", "actions", "action_counts", "steps"):
        assert figures[name] == expected[name]
    assert figures["actions"] != other["statistics"]["actions"]
    assert figures["walks"] == 300 == sum(figures["lengths"].values()) == figures["walks_at_deadlock"]
    assert figures["steps"] == sum(one["taken"] for one in figures["actions"].values())
    flips = sum(int(times) * count for times, count in figures["action_counts"]["Flip"].items())
    assert flips == figures["actions"]["Flip"]["taken"] > 50
    assert set(figures["lengths"]) == {"3", "4", "5"}


def test_a_walk_that_meets_what_has_no_value_says_where(folder: Path) -> None:
    write_module(folder, COUNTER.replace("Small == x < 4", "Small == (1 \\div (3 - x)) < 4"))
    said = wrong("simulate", "M.tla", "--property", "Small", "--walks", "50", "--by", "interpreter")
    assert "M.tla:11:" in said
    assert "x = 3" in said


@pytest.mark.parametrize("by", [("interpreter",), ("translation", "--engine", "explicit")])
def test_a_module_of_one_state_only_stutters(folder: Path, by: tuple[str, ...]) -> None:
    write_module(
        folder,
        "VARIABLE x\nInit == x = {}\nNext == x # {} /\\ x' = x\nSpec == Init /\\ [][Next]_x\n"
        "Stays == <>[](x = {})\nMoves == []<><<Next>>_x\n",
    )
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Stays Moves\nCHECK_DEADLOCK FALSE\n")
    run, _ = _ask("live", "M.tla", "--by", *by)
    assert {n: v for n, (v, _) in _verdicts(run).items()} == {"Stays": "PROVED", "Moves": "VIOLATED"}


@pytest.mark.parametrize("by", ["interpreter", "translation"])
def test_liveness_does_not_rest_on_symmetry(folder: Path, by: str) -> None:
    """TLC finds no error here, and without SYMMETRY that Returns is violated."""
    write_module(
        folder,
        "EXTENDS TLC\nCONSTANTS P, a\nVARIABLE x\nInit == x = a\nNext == x' \\in P\n"
        "Spec == Init /\\ [][Next]_x\nReturns == []<>(x = a)\nSym == Permutations(P)\n",
    )
    config = "SPECIFICATION Spec\nPROPERTY Returns\nCHECK_DEADLOCK FALSE\nSYMMETRY Sym\n"
    (folder / "M.cfg").write_text(f"{config}CONSTANTS P = {{a, b}} a = a b = b\n")
    run, _ = _ask("live", "M.tla", "--by", by)
    assert _verdicts(run)["Returns"][0] == "VIOLATED"


@pytest.mark.parametrize("by", ["interpreter", "translation"])
def test_no_symmetry_counts_states_and_no_classes(folder: Path, by: str) -> None:
    write_module(
        folder,
        "EXTENDS TLC\nCONSTANT P\nVARIABLE x\nInit == x = {}\n"
        "Next == \\E p \\in P \\ x : x' = x \\cup {p}\nInv == x # P\nSym == Permutations(P)\n",
    )
    config = f"{CONFIG_OF_STATES}INVARIANT Inv\nCHECK_DEADLOCK FALSE\nSYMMETRY Sym\n"
    (folder / "M.cfg").write_text(f"{config}CONSTANT P = {{a, b, c}}\n")
    for words, count in (((), 4), (("--no-symmetry",), 8)):
        run, _ = _ask("explore", "M.tla", "--keep-going", "--by", by, *words)
        assert run["statistics"]["distinct_states"] == count
        assert run["statistics"]["symmetry"] is not bool(words)


@pytest.mark.thorough
def test_what_the_interpreter_found_violated_before_the_time_is_over_stays_known(folder: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nInv == x # 5\nPos == x >= 0\n"
    write_module(folder, body)
    (folder / "M.cfg").write_text(f"{CONFIG_OF_STATES}INVARIANTS Inv Pos\nCHECK_DEADLOCK FALSE\n")
    for words in (("prove", "M.tla"), ("bmc", "M.tla", "--depth", "100000000")):
        run, _ = _ask(*words, "--by", "interpreter", "--timeout", "3s")
        assert {n: v for n, (v, _) in _verdicts(run).items()} == {"Inv": "VIOLATED", "Pos": "INCONCLUSIVE"}


@pytest.mark.parametrize("by", ["interpreter", "translation"])
def test_a_check_says_which_semantics_answered_each_engine(folder: Path, by: str) -> None:
    run, _ = _ask("check", "M.tla", "--by", by)
    found = {name: one.get("semantics") for name, one in run["statistics"]["engines"].items()}
    assert {"explore", "live"} <= found.keys()
    assert set(found.values()) == {by}
    verdicts = {name: verdict for name, (verdict, _) in _verdicts(run).items()}
    assert verdicts["Small"] == verdicts["OneByOne"] == "VIOLATED"
    assert verdicts["Inv"] == verdicts["Both"] == verdicts["Ends"] == "PROVED"


FEW_INITIAL = """EXTENDS Naturals, Sequences
CONSTANT Nodes
VARIABLES now, view
Rng(q) == {q[i] : i \\in DOMAIN q}
Init == \\E n \\in Nodes : now = <<n>> /\\ view = [m \\in Nodes |-> <<n>>]
Room == Len(now) < 5
Next == \\/ \\E n \\in Nodes : n \\notin Rng(now) /\\ Room /\\ now' = Append(now, n) /\\ UNCHANGED view
        \\/ \\E n \\in Nodes : view' = [view EXCEPT ![n] = now] /\\ UNCHANGED now
Ok == Len(now) >= 1
"""


@pytest.mark.parametrize("by", ["interpreter", "translation"])
def test_few_initial_states_are_few_though_their_sorts_are_large(folder: Path, by: str) -> None:
    write_module(folder, FEW_INITIAL)
    config = "INIT Init\nNEXT Next\nCONSTANT Nodes = {a, b, c, d, e}\nINVARIANT Ok\nCHECK_DEADLOCK FALSE\n"
    (folder / "M.cfg").write_text(config)
    run, _ = _ask("simulate", "M.tla", "--walks", "50", "--depth", "10", "--by", by)
    assert run["statistics"]["walks"] == 50 == run["statistics"]["walks_cut_at_depth"]


def _random_module(chance: Random) -> tuple[str, list[str]]:
    """A module over two small variables, with fairness, and properties."""

    def state() -> str:
        return chance.choice(
            (f"x = {chance.randint(0, 2)}", f"y = {chance.randint(0, 1)}", "x > y", "x # 1", "ENABLED B")
        )

    def formula(depth: int) -> str:
        if not depth:
            step = f"[]<><<{chance.choice('ABC')}>>_vars"
            return chance.choice((f"<>({state()})", f"[]<>({state()})", f"<>[]({state()})", step, state()))
        one, other = formula(depth - 1), formula(depth - 1)
        return chance.choice(
            (f"[]({one})", f"<>({one})", f"~({one})", f"(({one}) => ({other}))", f"(({one}) /\\ ({other}))",
             f"(({one}) ~> ({other}))", f"\\A k{depth} \\in 0..1 : (x = k{depth}) ~> ({other})",
             f"[](({state()}) => ({one}))")
        )  # fmt: skip

    def action(name: str) -> str:
        changes = chance.choice(
            ("x' = (x + 1) % 3 /\\ UNCHANGED y", "y' = 1 - y /\\ UNCHANGED x", "x' = y /\\ y' = 0",
             "x' \\in {0, y} /\\ UNCHANGED y", "UNCHANGED vars")
        )  # fmt: skip
        return f"{name} == {state().replace('ENABLED B', 'TRUE')} /\\ {changes}"

    conditions = [f"{chance.choice(('WF', 'SF'))}_vars({name})" for name in "ABC" if chance.random() < 0.6]
    names = [f"P{number}" for number in range(4)]
    lines = [
        "EXTENDS Naturals", "VARIABLES x, y", "vars == <<x, y>>", "Init == x \\in 0..1 /\\ y = 0",
        *map(action, "ABC"), "Next == A \\/ B \\/ C",
        " /\\ ".join(("Spec == Init /\\ [][Next]_vars", *conditions)),
        *(f"{name} == <>[](x >= 0) /\\ ({formula(chance.randint(0, 2))})" for name in names),
    ]  # fmt: skip
    return "\n".join(lines), names


@pytest.mark.parametrize("first", [0, *rest_slow(range(5, 300, 5), 1)])
def test_random_properties_of_random_modules(folder: Path, first: int) -> None:
    for seed in range(first, first + 5):
        body, names = _random_module(Random(seed))
        write_module(folder, body)
        Path("M.cfg").write_text("SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n")
        words = ("live", "M.tla", *(word for name in names for word in ("--property", name)))
        own, _ = _ask(*words, "--by", "interpreter")
        other, _ = _ask(*words, "--by", "translation", "--engine", "explicit")
        found = {name: verdict for name, (verdict, _) in _verdicts(own).items()}
        assert found == {name: verdict for name, (verdict, _) in _verdicts(other).items()}, body
        assert set(found.values()) <= {"PROVED", "VIOLATED"}


def test_a_translation_that_does_not_end_in_time_is_said(tmp_path: Path) -> None:
    """Subsets of five records of five shapes: the run ends before the search begins."""
    body = (
        "EXTENDS Naturals, Sequences\nVARIABLES x, s\n"
        'Rs == <<[t |-> "a", v |-> 1], [t |-> "b", v |-> "x"], [t |-> "c", w |-> 1], [t |-> "d"], '
        '[t |-> "e", v |-> <<1>>]>>\n'
        "Init == x = 0 /\\ s = {}\nNext == x < 5 /\\ x' = x + 1 /\\ s' = s \\cup {Rs[x + 1]}\n"
        "Inv == \\A S \\in SUBSET s : S \\cup s = s\n"
    )
    write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", str(tmp_path / "M.tla"), "--by", "translation", "--timeout", "1s")
    assert done.exit_code == 12, done.output
    assert "INCONCLUSIVE(timeout of 1 s, while building the formulas" in done.stdout


def test_a_slow_translation_of_few_states_is_explored_by_the_translation_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_module(
        tmp_path,
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == \\/ x' \\in {0, x + 1, 2 * x} /\\ x' < 70 /\\ y' = y\n"
        "        \\/ y' \\in {0, y + 1, 2 * y} /\\ y' < 70 /\\ x' = x\n",
    )
    (tmp_path / "M.cfg").write_text(CONFIG_OF_STATES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(refining, "POLICY", replace(POLICY, long_translation_seconds=-1.0))
    look_on = sampling.Sample.look_on
    monkeypatch.setattr(sampling.Sample, "look_on", lambda sample, seconds: look_on(sample, 60.0))
    run, _ = _ask("explore", "M.tla", "--by", "translation")
    assert run["statistics"]["semantics"] == "translation"
    assert run["statistics"]["distinct_states"] == 70 * 70


def test_a_sequence_whose_elements_never_fit_is_empty_in_another_sort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_module(
        tmp_path,
        "EXTENDS Naturals, Sequences, SequencesExt\nVARIABLES v, c\nInit == c = 0 /\\ v = {{1}}\n"
        "Next == \\/ c < 2 /\\ c' = c + 1 /\\ UNCHANGED v\n"
        "        \\/ c = 2 /\\ c' = 3 /\\ v' = <<[f |-> TRUE], [f |-> FALSE]>>\n"
        "        \\/ c = 3 /\\ c' = 4 /\\ v' \\in {Zip(v, <<>>), v}\n",
    )
    (tmp_path / "M.cfg").write_text(CONFIG_OF_STATES)
    monkeypatch.chdir(tmp_path)
    counts = []
    for by in ("interpreter", "translation"):
        run, _ = _ask("explore", "M.tla", "--by", by, "--no-deadlock")
        assert run["statistics"]["semantics"] == by
        counts.append(run["statistics"]["levels"])
    assert counts[0] == counts[1]
    assert sum(counts[0]) == 6


WITHOUT_A_VALUE = """EXTENDS Naturals, Sequences
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Good == []<>(x = 3)
NoValue == []<>(Head(IF x = 1 THEN <<>> ELSE <<1>>) = 1)
Bad == <>[](x = 3)
"""


@pytest.mark.parametrize("way", [("--by", "translation"), ("--engine", "bmc")])
def test_a_property_without_a_value_leaves_the_others_decided(folder: Path, way: tuple[str, str]) -> None:
    write_module(folder, WITHOUT_A_VALUE)
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Good NoValue Bad\n")
    run, told = _ask("live", "M.tla", *way, "--expect", "Bad=VIOLATED")
    decided = "PROVED" if way[0] == "--by" else "HOLDS"
    assert _verdicts(run) == {
        "Good": (decided, None),
        "NoValue": ("INCONCLUSIVE", None),
        "Bad": ("VIOLATED", 4),
    }
    assert "NoValue is left open" in told
    assert run["expected"] == ["Bad=VIOLATED"]
    assert run["options"]["properties"] == ["Good", "NoValue", "Bad"]
    assert "no value" in wrong("live", "M.tla", *way, "--property", "NoValue")
