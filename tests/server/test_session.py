"""A session answers requests about states, steps and properties of a specification."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from verifier.errors import UsageError
from verifier.server.calls import Call
from verifier.server.problems import explain_failure
from verifier.server.session import Session
from verifier.server.table import REQUESTS

LOCK = "docs/examples/FencedLock.tla"
NO_FENCING = {"Fencing": "FALSE"}


class Client:
    """Asks a session, as a program does."""

    def __init__(self, spec: str = LOCK, **constants: Any) -> None:
        self.session = Session()
        self.progress: list[str] = []
        self.loaded = self.ask("load", spec=spec, constants=constants)

    def ask(self, name: str, /, **given: Any) -> Any:
        """Return the answer to a request."""
        return REQUESTS[name].run(self.session, Call(self.progress.append), given)

    def fail(self, name: str, /, **given: Any) -> Mapping[str, Any]:
        """Return the problem of a request that has no answer."""
        with pytest.raises(Exception) as raised:  # noqa: PT011 -- what a client gets is looked at
            self.ask(name, **given)
        return explain_failure(raised.value).as_object()


def test_a_specification_says_what_it_has() -> None:
    loaded = Client().loaded
    assert loaded["variables"] == ["free", "given", "lease", "last"]
    assert loaded["actions"] == {"RunOut": [], "Acquire": ["c"], "Write": ["c"], "Release": ["c"]}
    assert [one["name"] for one in loaded["properties"]] == ["TypeOK", "OneEach", "InOrder", "Released"]
    assert loaded["files"] == [LOCK, "docs/examples/FencedLock.cfg"]


@pytest.mark.parametrize(
    ("spec", "action", "changed"),
    [
        (LOCK, "Acquire(c=c1)", {"path": "lease[c1]", "before": "0", "after": "1"}),
        (
            "kip101",
            "ControllerElectLeader(leader=r1)",
            {"path": "quorum.leader", "before": "–", "after": "r1"},
        ),
    ],
)
def test_successors_say_what_a_step_changes(spec: str, action: str, changed: Mapping[str, str]) -> None:
    client = Client(spec)
    assert client.ask("initial_states")["count"] == 1
    steps = {one["title"]: one for one in client.ask("successors", state=0)["steps"]}
    assert changed in steps[action]["changed"]


def test_a_disabled_action_is_explained_by_its_first_false_conjunct() -> None:
    client = Client()
    found = client.ask("why_disabled", action="Write", parameters={"c": "c2"})
    assert found["enabled"] is False
    nearest = found["nearest"][0]
    assert (nearest["formula"], nearest["values"]["c"]) == ("lease[c] > 0", "c2")
    assert nearest["place"] == {"file": LOCK, "line": 34, "column": 16}
    client.ask("step", action="Acquire", parameters={"c": "c2"})
    assert client.ask("why_disabled", action="Write", parameters={"c": "c2"})["enabled"] is True
    assert client.ask("why_disabled", action="Write", parameters={"c": "c1"})["enabled"] is False
    assert client.fail("why_disabled", action="Write", parameters={"d": "c2"})["kind"] == "usage"


def test_a_disabled_action_of_a_python_protocol_is_explained() -> None:
    found = Client("kip101").ask("why_disabled", action="LeaderWrite", limit=1)
    assert found["ways"] == 3
    assert found["nearest"][0]["values"] == {"replica[r1].leader": "–"}


@pytest.mark.parametrize(
    ("spec", "action", "given"),
    [
        (LOCK, "Acquire", {"c": "c9"}),
        (LOCK, "Write", {"c": "c9"}),
        ("kip101", "LeaderWrite", {"leader": "r9"}),
    ],
)
def test_no_conjunct_is_blamed_for_values_that_parameters_do_not_take(
    spec: str, action: str, given: Mapping[str, str]
) -> None:
    """Acquire is enabled for other clients, so that its guard is true."""
    found = Client(spec).ask("why_disabled", action=action, parameters=given)
    assert (found["enabled"], found["nearest"]) == (False, [])
    assert "do not take these values" in found["reason"]


def test_a_conjunct_is_blamed_for_one_client_while_it_is_true_for_another() -> None:
    client = Client()
    client.ask("step", action="Acquire", parameters={"c": "c1"})
    found = client.ask("why_disabled", action="Write", parameters={"c": "c2"})
    assert [(one["formula"], one["values"]["c"]) for one in found["nearest"]] == [("lease[c] > 0", "c2")]


def test_expressions_have_values_in_states() -> None:
    client = Client()
    client.ask("step", to=client.ask("successors")["steps"][0]["state"])
    assert client.ask("evaluate", expression="[c \\in Client |-> lease[c] + 1]")["json"] == {"c1": 2, "c2": 1}
    assert client.ask("evaluate", expression="OneEach", state=0)["value"] == "TRUE"
    python = Client("kip101")
    assert python.ask("evaluate", expression="count(replicas, lambda r: replica[r].epoch == -1)")["json"] == 3


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("lease[c1]", "0"),
        ("Client \\ {c2}", "{c1}"),
        ('"c1"', '"c1"'),
        ("LET c1 == 7 IN c1", "7"),
        ("\\E c1 \\in Client : lease[c1] > 0", "FALSE"),
    ],
)
def test_an_expression_may_name_model_values(expression: str, value: str) -> None:
    """But a name that the text binds is what it is bound to."""
    assert Client().ask("evaluate", expression=expression)["value"] == value


def test_a_set_that_is_too_large_to_list_has_no_value() -> None:
    assert Client().fail("evaluate", expression="SUBSET (1 .. 40)")["kind"] == "undefined"


@pytest.mark.parametrize(
    ("expression", "kind", "place"),
    [
        ("lease[3]", "undefined", (1, 1)),
        ("lease[", "usage", (1, 6)),
        ("lease +\n  nothing", "usage", (2, 3)),
        ("lease' = lease", "usage", (1, 1)),
        ("1\nMore == 2", "usage", (1, 1)),
    ],
)
def test_an_expression_without_a_value_has_a_place(
    expression: str, kind: str, place: tuple[int, int]
) -> None:
    problem = Client().fail("evaluate", expression=expression)
    assert problem["kind"] == kind
    assert (problem["place"]["line"], problem["place"]["column"]) == place


def test_one_walks_forward_and_back() -> None:
    client = Client()
    for action, given in (("Acquire", {"c": "c1"}), ("RunOut", {}), ("Acquire", {"c": "c2"})):
        client.ask("step", action=action, parameters=given)
    end = client.ask("state")["state"]
    back = client.ask("back", steps=2)
    assert (back["at"], back["values"]["given"]) == (1, "1")
    assert client.ask("forward", steps=2)["state"] == end
    client.ask("back", steps=2)
    client.ask("step", action="Write")
    assert client.ask("path")["at"] == len(client.ask("path")["steps"]) == 2
    assert client.fail("back", steps=3)["kind"] == "usage"


def test_a_step_that_is_not_unique_is_refused() -> None:
    client = Client()
    assert "2 steps" in client.fail("step", action="Acquire")["message"]
    assert "why_disabled" in client.fail("step", action="RunOut")["message"]
    assert "did you mean 'RunOut'" in client.fail("step", action="Runout")["message"]


def test_a_random_walk_depends_on_its_seed_alone() -> None:
    one, other = Client(), Client()
    walked = one.ask("random_walk", steps=6, seed=3)
    assert len(walked["steps"]) == 6
    assert other.ask("random_walk", steps=6, seed=3) == walked
    assert Client().ask("random_walk", steps=6, seed=4)["steps"] != walked["steps"]


def test_a_random_walk_ends_where_a_formula_is_true() -> None:
    client = Client()
    walked = client.ask("random_walk", steps=50, until="last > 0")
    assert walked["ended"] == "reached"
    assert walked["steps"][-1]["action"] == "Write"
    assert client.fail("random_walk", until="last")["kind"] == "usage"


def test_a_counterexample_is_walked_and_explained() -> None:
    client = Client(**NO_FENCING)
    found = client.ask("check", engine="explore")
    assert found["exit_code"] == 10
    verdicts = {one["property"]: one for one in found["results"]}
    assert verdicts["InOrder"]["actions"] == ["Acquire", "RunOut", "Acquire", "Write", "Write"]
    client.ask("counterexample", property="InOrder")
    why = client.ask("why_false", property="InOrder")
    assert why["holds"] is False
    assert why["false_parts"][0]["why"] == "last' is 1, and must be at least last, which is 2"
    client.ask("back")
    assert client.ask("why_false", property="InOrder")["holds"] is True


def test_a_false_invariant_of_a_python_protocol_is_explained() -> None:
    client = Client("kip101")
    client.ask("initial_states")
    why = client.ask("why_false", property="leader_in_isr", state=0)
    assert why["holds"] is False
    assert why["false_parts"][0]["values"]["quorum.leader"] == "–"


def test_a_final_verdict_is_kept_for_the_same_question() -> None:
    client = Client()
    first = client.ask("check", engine="explore")
    assert (first["kept"], client.ask("check", engine="explore")["kept"]) == (False, True)
    assert client.ask("check", engine="explore", options={"keep_going": True})["kept"] is False
    assert client.ask("check", engine="explore", fresh=True)["kept"] is False


def test_an_open_verdict_is_not_kept() -> None:
    client = Client()
    asked = {"engine": "explore", "options": {"max_states": 5}}
    assert client.ask("check", **asked)["results"][0]["verdict"] == "INCONCLUSIVE"
    assert client.ask("check", **asked)["kept"] is False


def test_what_only_the_run_finds_is_a_usage_error() -> None:
    """A quorum of this protocol is more than half of the acceptors: that has no reading for all constants."""
    file = "docs/examples/voting.py"
    problem = Client(file).fail("check", engine="prove", options={"all_constants": True})
    assert (problem["kind"], problem["place"]["file"]) == ("usage", file)


@pytest.mark.slow
def test_lemmas_are_suggested() -> None:
    client = Client()
    asked = {"engine": "prove", "properties": ["OneEach"], "timeout": "5m"}
    assert client.ask("check", **asked, options={"all_constants": True})["exit_code"] == 12
    found = client.ask("check", **asked, options={"all_constants": True, "suggest": True})
    assert found["exit_code"] == 0
    (module,) = found["statistics"]["suggested"]["OneEach"]
    assert "EXTENDS FencedLock" in module


def test_a_specification_is_read_again_once_its_file_changed(tmp_path: Path) -> None:
    file = tmp_path / "Counter.tla"
    text = "---- MODULE Counter ----\nEXTENDS Integers\nVARIABLE n\nInit == n = 0\n"
    text += "Next == n < 2 /\\ n' = n + 1\n"
    file.write_text(f"{text}Low == n < 3\n====\n", encoding="utf-8")
    file.with_suffix(".cfg").write_text(
        "INIT Init NEXT Next INVARIANT Low\nCHECK_DEADLOCK FALSE", encoding="utf-8"
    )
    client = Client(str(file))
    assert client.ask("check", engine="bmc", depth=3)["exit_code"] == 0
    assert client.ask("load", spec=str(file))["spec"] == "Counter"
    assert client.ask("check", engine="bmc", depth=3)["kept"] is True
    file.write_text(f"{text}Low == n < 2\n====\n", encoding="utf-8")
    assert client.ask("check", engine="bmc", depth=3)["changed_on_disk"] is True
    client.ask("load", spec=str(file))
    found = client.ask("check", engine="bmc", depth=3)
    assert (found["kept"], found["exit_code"]) == (False, 10)


def test_logs_are_judged(tmp_path: Path) -> None:
    client = Client(**NO_FENCING)
    trace = client.ask("check", engine="explore", traces=True)
    found = next(one["trace"] for one in trace["results"] if one["property"] == "InOrder")
    log = tmp_path / "run.itf.json"
    log.write_text(json.dumps(found), encoding="utf-8")
    assert client.ask("conform", logs=[str(log)])["logs"][0]["verdict"] == "ACCEPTED"
    assert Client().ask("conform", logs=[str(log)])["logs"][0]["verdict"] == "REJECTED"


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("check", {"engine": "bnc"}, "did you mean 'bmc'"),
        ("check", {"engine": "bmc", "depth": "3"}, "it takes an integer"),
        ("check", {"engine": "bmc", "depth": True}, "it takes an integer"),
        ("check", {"engine": "explore", "options": {"work": "here"}}, "only the command has it"),
        ("check", {"properties": ["Nope"]}, "Nope"),
        ("successors", {"limit": 0}, "the least is 1"),
        ("successors", {"state": 7}, "there is no state 7"),
        ("evaluate", {}, "needs the parameter expression"),
        ("why_false", {"property": "Released"}, "the request check decides it"),
        ("load", {"spec": "kip32"}, "kip320"),
        ("load", {"spec": LOCK, "colour": "red"}, "unknown parameter 'colour'"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(name: str, given: Mapping[str, Any], words: str) -> None:
    problem = Client().fail(name, **given)
    assert problem["kind"] == "usage"
    assert words in problem["message"]


def test_nothing_is_open_at_first() -> None:
    with pytest.raises(UsageError, match="load one first"):
        REQUESTS["successors"].run(Session(), Call(), {})


def test_every_request_says_what_it_takes() -> None:
    for request in REQUESTS.values():
        assert request.words.endswith("."), request.name
        assert set(request.schema["required"]) <= set(request.parameters)
        assert all(one.words for one in request.parameters.values()), request.name


def test_the_page_names_every_request() -> None:
    page = Path("docs/server.md").read_text(encoding="utf-8")
    assert [name for name in REQUESTS if f"`{name}`" not in page.partition("## Requests")[2]] == []


def test_specifications_are_listed_and_closed() -> None:
    client = Client()
    listed = client.ask("list_specs")
    assert listed["open"] == ["FencedLock"]
    assert listed["built_in"]["kip101"].endswith(".")
    assert client.ask("close", spec="FencedLock") == {"open": []}
    assert client.fail("state")["kind"] == "usage"


def test_the_nearest_state_is_found() -> None:
    client = Client()
    found = client.ask("find_state", expression="last = 2 /\\ free")
    assert found["found"] is True
    assert len(found["steps"]) == 5
    assert found["values"]["last"] == "2"
    assert len(client.ask("path")["steps"]) == 5
    values = client.ask("evaluate_along", expression="given")["values"]
    assert values == sorted(values)
    assert values[-1] == "2"


def test_a_search_says_what_it_looked_at() -> None:
    client = Client()
    none = client.ask("find_state", expression="given > 3")
    assert (none["found"], none["all_states"], none["states"]) == (False, True, 112)
    cut = client.ask("find_state", expression="given > 3", limit=10)
    assert (cut["all_states"], cut["states"]) == (False, 10)
    near = client.ask("find_state", expression="given > 1", depth=1)
    assert (near["found"], near["all_states"], near["depth"]) == (False, False, 1)
    assert client.ask("path")["steps"] == []


def test_an_expression_without_a_value_in_some_state_has_none_there() -> None:
    client = Client()
    client.ask("step", action="Acquire", parameters={"c": "c1"})
    along = client.ask("evaluate_along", expression="<<7>>[given]")
    assert along["values"] == [None, "7"]


def test_an_execution_in_a_file_is_followed(tmp_path: Path) -> None:
    client = Client(**NO_FENCING)
    results = client.ask("check", engine="explore", traces=True)["results"]
    log = tmp_path / "trace.itf.json"
    log.write_text(json.dumps(next(one["trace"] for one in results if one["trace"])), encoding="utf-8")
    other = Client(**NO_FENCING)
    assert other.ask("follow", trace=str(log))["at"] == 5
    assert "no step to state 5" in Client().fail("follow", trace=str(log))["message"]
    log.write_text("[]", encoding="utf-8")
    assert "not an execution" in other.fail("follow", trace=str(log))["message"]


def test_coverage_counts_what_exploration_counts() -> None:
    client = Client()
    covered = client.ask("coverage")
    explored = client.ask("check", engine="explore")["statistics"]
    assert (covered["states"], covered["all_states"]) == (explored["distinct_states"], True)
    counts = {one["action"]: one["steps"] for one in covered["actions"]}
    assert counts == {"RunOut": 40, "Acquire": 56, "Write": 122, "Release": 146}
    cut = client.ask("coverage", limit=10)
    assert (cut["states"], cut["all_states"]) == (10, False)


def test_coverage_says_why_an_action_is_never_enabled() -> None:
    covered = Client(Leases="0").ask("coverage")
    write = next(one for one in covered["actions"] if one["action"] == "Write")
    assert (write["states_enabled"], write["steps"]) == (0, 0)
    assert write["nearest"]["formula"] == "lease[c] > 0"
    python = Client("kip101", replicas=2, log_size=1, max_records=1, max_leader_epoch=0)
    steps = {one["action"]: one["steps"] for one in python.ask("coverage")["actions"]}
    explored = python.ask("check", engine="explore", options={"keep_going": True})["statistics"]["actions"]
    assert steps == {name: one["taken"] for name, one in explored.items()}


def test_coverage_counts_alternatives(tmp_path: Path) -> None:
    file = tmp_path / "Two.tla"
    file.write_text(
        "---- MODULE Two ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\n"
        "Up == (n < 2 \\/ n > 7) /\\ n' = n + 1\nNext == Up\n====\n",
        encoding="utf-8",
    )
    file.with_suffix(".cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE", encoding="utf-8")
    (up,) = Client(str(file)).ask("coverage")["actions"]
    assert up["steps"] == 2
    assert {one["formula"]: one["steps"] for one in up["parts"]} == {"n < 2": 2, "n > 7": 0}
