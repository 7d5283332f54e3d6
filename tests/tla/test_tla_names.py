"""Names of modules are those of strangers: no title of a built-in check hides one, or is hidden by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.sampling import first_of

WORDS = ("NoDeadlock", "Typed", "Sorts", "UndefinedRead", "TypeInvariant", "all", "none")
ENGINES = (
    "explore",
    "explore --workers 2",
    "bmc --depth 5",
    "bmc --depth 5 --steps serial",
    "bmc --depth 5 --steps parallel",
    "prove",
    "check",
    "simulate",
    "induct",
)
CLAIM = r"""
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 3 /\ x' = x + 1
WORD == x # 2
Other == x < 4
"""
"""``WORD`` is violated in 2 steps, and in 3 there is a deadlock."""
OTHERS = {
    "action": (r"VARIABLE x", r"Init == x = 0", r"WORD == x < 3 /\ x' = x + 1", "x", ""),
    "variable": (r"VARIABLE WORD", r"Init == WORD = 0", r"Go == WORD < 3 /\ WORD' = WORD + 1", "WORD", ""),
    "constant": (
        "CONSTANT WORD\nVARIABLE x",
        "Init == x = 0",
        r"Go == x < WORD /\ x' = x + 1",
        "x",
        "CONSTANT WORD = 3",
    ),
    "model value": (
        "CONSTANT WORD\nVARIABLE x",
        "Init == x = WORD",
        r"""Go == \/ x = WORD /\ x' = 1
      \/ x \in {1, 2} /\ x' = x + 1""",
        "x",
        "CONSTANT WORD = WORD",
    ),
    "parameter": (
        "VARIABLE x",
        "Init == x = [WORD |-> 0]",
        r"Go == \E WORD \in {1} : x.WORD < 3 /\ x' = [x EXCEPT !.WORD = @ + WORD]",
        "x.WORD",
        "",
    ),
}


def write_module(folder: Path, body: str, config: str) -> str:
    path = folder / "M.tla"
    path.write_text(f"---- MODULE M ----\n{body}\n====\n")
    path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\n{config}\n")
    return str(path)


def ask_verdicts(command: str, module: str, *others: str) -> tuple[int, dict[str, tuple[str, int | None]]]:
    """The exit code, and the verdict of each property with its steps."""
    done = verify(*command.split(), "--spec", module, *others, "--format", "json")
    content: dict[str, Any] = json.loads(done.stdout)
    return done.exit_code, {row["property"]: (row["verdict"], row["steps"]) for row in content["results"]}


def title(word: str, module_has: str) -> str:
    """Return the title of a built-in check in a module that has its name."""
    return f"{word} (built in)" if word == module_has else word


def each(*quick: str) -> list[Any]:
    """The engines; those that are not quick only among the thorough tests."""
    return [one if one in quick else pytest.param(one, marks=pytest.mark.thorough) for one in ENGINES]


@pytest.mark.parametrize("engine", each("explore", "bmc --depth 5 --steps serial"))
@pytest.mark.parametrize("word", WORDS)
def test_an_invariant_with_a_title_of_ours(word: str, engine: str, tmp_path: Path) -> None:
    module = write_module(tmp_path, CLAIM.replace("WORD", word), f"INVARIANT {word} Other")
    code, found = ask_verdicts(engine, module)
    stuck = title("NoDeadlock", word)
    if engine == "induct":
        assert code == 11
        assert found == {word: ("NOT_INDUCTIVE", 1), "Other": ("PROVED", None)}
        return
    assert code == 10
    assert found[word] == ("VIOLATED", 2)
    assert found["Other"][0] in ("HOLDS", "PROVED", "INCONCLUSIVE")
    assert set(found) == {word, "Other", stuck}
    if engine != "simulate":  # a random walk ends at the first violation
        assert found[stuck] == ("VIOLATED", 3)


@pytest.mark.parametrize("engine", ENGINES[:6])
def test_the_deadlock_is_found_beside_an_invariant_of_its_title(engine: str, tmp_path: Path) -> None:
    body = CLAIM.replace("WORD", "NoDeadlock").replace("x # 2", "x < 9")
    code, found = ask_verdicts(engine, write_module(tmp_path, body, "INVARIANT NoDeadlock"))
    assert code == 13
    assert found["NoDeadlock"][0] in ("HOLDS", "PROVED")
    assert found["NoDeadlock (built in)"] == ("VIOLATED", 3)


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ENGINES[:8])
@pytest.mark.parametrize("word", WORDS)
def test_an_operator_with_a_title_of_ours_is_asked_by_its_name(
    word: str, engine: str, tmp_path: Path
) -> None:
    module = write_module(tmp_path, CLAIM.replace("WORD", word), "INVARIANT Other")
    if (word, engine) == ("all", "check"):
        return  # it names all that the configuration asks for
    code, found = ask_verdicts(engine, module, "--property", word)
    assert code == 10
    assert found[word] == ("VIOLATED", 2)
    if engine != "simulate" and word != "all":
        code, _ = ask_verdicts(engine, module, "--property", word, "--expect", f"{word}=violated")
        assert code == 0
        code, found = ask_verdicts(engine, module, "--property", word, "--deadlock")
        assert found[title("NoDeadlock", word)] == ("VIOLATED", 3)


@pytest.mark.parametrize(
    "engine",
    ["explore", *(pytest.param(one, marks=pytest.mark.thorough) for one in (ENGINES[3], ENGINES[5]))],
)
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", OTHERS)
def test_other_names(kind: str, word: str, engine: str, tmp_path: Path) -> None:
    declared, begins, goes, read, config = OTHERS[kind]
    action = "WORD" if kind == "action" else "Go"
    bad = f"{read} # 2"
    after = "x'.WORD" if kind == "parameter" else f"{read}'"
    step = f"P == [][{after} # 2]_{'WORD' if kind == 'variable' else 'x'}"
    body = f"EXTENDS Naturals\n{declared}\n{begins}\n{goes}\nNext == {action}\nInv == {bad}\n{step}"
    module = write_module(
        tmp_path, body.replace("WORD", word), f"{config.replace('WORD', word)}\nINVARIANT Inv\nPROPERTY P"
    )
    code, found = ask_verdicts(engine, module)
    stuck = title("NoDeadlock", word) if kind == "action" else "NoDeadlock"
    assert code == 10
    assert found == {"Inv": ("VIOLATED", 2), "P": ("VIOLATED", 2), stuck: ("VIOLATED", 3)}


@pytest.mark.parametrize("word", first_of(WORDS, 2))
def test_a_temporal_property_with_a_title_of_ours(word: str, tmp_path: Path) -> None:
    body = CLAIM.replace("WORD == x # 2", "WORD == <>(x = 5)").replace("WORD", word)
    module = write_module(tmp_path, body, f"PROPERTY {word}")
    for engine in ("live", "live --engine explicit"):
        assert ask_verdicts(engine, module) == (10, {word: ("VIOLATED", 0)})
    _, found = ask_verdicts("explore", module)
    assert found == {word: ("INCONCLUSIVE", None), title("NoDeadlock", word): ("VIOLATED", 3)}


@pytest.mark.parametrize("word", first_of(WORDS, 2))
def test_certificates_and_traces_keep_the_name(word: str, tmp_path: Path) -> None:
    body = CLAIM.replace("x # 2", "x < 7").replace("WORD", word)
    module = write_module(tmp_path, body, f"INVARIANT {word}\nCHECK_DEADLOCK FALSE")
    proof, trace = tmp_path / "proof.json", tmp_path / "t.itf.json"
    done = verify("prove", "--spec", module, "--certificate", str(proof), "--no-explore")
    assert done.exit_code == 0, done.output
    assert json.loads(proof.read_text())["property"] == word
    done = verify("certify", str(proof), "--spec", module)
    assert done.exit_code == 0, done.output
    done = verify("induct", "--spec", module, "--property", "Other", "--lemma", word)
    assert done.exit_code == 0, done.output
    write_module(tmp_path, body.replace("x < 7", "x # 2"), f"INVARIANT {word}")
    verify("bmc", "--spec", module, "--depth", "4", "--property", word, "--trace-out", str(trace))
    done = verify("replay", str(trace), "--spec", module)
    assert done.exit_code == 0, done.output
    assert f"{word} fails in the last state" in done.output
    assert "no action is enabled" not in done.output


@pytest.mark.parametrize("stuck", [False, True])
def test_a_deadlock_has_its_own_certificate_and_trace(stuck: bool, tmp_path: Path) -> None:
    goes = "x' = (x + 1) % 3" if not stuck else r"x < 3 /\ x' = x + 1"
    body = CLAIM.replace(r"x < 3 /\ x' = x + 1", goes).replace("WORD == x # 2", "NoDeadlock == x < 9")
    module = write_module(tmp_path, body, "INVARIANT NoDeadlock")
    proof, trace = tmp_path / "proof.json", tmp_path / "t.itf.json"
    if not stuck:
        own = "NoDeadlock (built in)"
        done = verify("prove", "--spec", module, "--certificate", str(proof), "--property", own)
        assert done.exit_code == 0, done.output
        assert json.loads(proof.read_text())["property"] == own
        assert verify("certify", str(proof), "--spec", module).exit_code == 0
        return
    done = verify("bmc", "--spec", module, "--depth", "4", "--trace-out", str(trace))
    assert done.exit_code == 13
    assert "NoDeadlock (built in) fails in state 3, in which no action is enabled" in done.output
    done = verify("replay", str(trace), "--spec", module)
    assert done.exit_code == 0, done.output


def test_reports_and_manifests_tell_them_apart(tmp_path: Path) -> None:
    module = write_module(tmp_path, CLAIM.replace("WORD", "NoDeadlock"), "INVARIANT NoDeadlock")
    run = tmp_path / "run.json"
    run.write_text(verify("explore", "--spec", module, "--format", "json").stdout)
    report = json.loads(verify("report", str(run), "--format", "json").stdout)
    rows = {row["property_name"]: row for row in report["rows"]}
    assert [rows[name]["exit_code"] for name in ("NoDeadlock", "NoDeadlock (built in)")] == [10, 13]
    assert "--property NoDeadlock" in rows["NoDeadlock"]["command"]
    assert "--deadlock" in rows["NoDeadlock (built in)"]["command"]
    manifest = tmp_path / "verify.toml"
    manifest.write_text('[[cell]]\nid = "m"\nspec = "M.tla"\nengine = "explore"\n')
    assert verify("ci", str(manifest), "--update").exit_code == 0
    done = verify("ci", str(manifest))
    assert done.exit_code == 0, done.output
    text = manifest.read_text()
    assert '"NoDeadlock (built in)"' in text
    assert "NoDeadlock" in text.replace('"NoDeadlock (built in)"', "")


@pytest.mark.parametrize("word", ["NoDeadlock", "Typed", "UndefinedRead", "all", "none"])
def test_a_protocol_in_python_may_not_use_a_title(word: str, tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(
        '"""P."""\nfrom verifier import *\n\n\nclass P(Protocol, camel_case=True):\n    """P."""\n\n'
        "    def state(self):\n        return State(x=Range(0, 3))\n\n"
        "    def init(self, s):\n        return s.x == 0\n\n"
        "    @action\n    def go(self, s):\n        return Step(when=[s.x < 3], then={s.x: s.x + 1})\n\n"
        f'    @invariant(name="{word}")\n    def claim(self, s):\n        return s.x != 2\n'
    )
    done = verify("explore", "--spec", str(path))
    assert done.exit_code == 2
    assert f"has the title {word}" in done.stderr
