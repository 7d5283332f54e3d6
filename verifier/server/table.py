"""The table of requests. Each protocol of the server offers all of them."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.runs.table import ENGINES
from verifier.server import answers, coverage, walking
from verifier.server.requests import Parameter, Request

_SPEC = Parameter("string", "The name of an open specification; without it, the last one.")
_STATE = Parameter("integer", "The number of a state; without it, the current one.")
_JSON = Parameter("boolean", "Also give values as JSON.")
_PROPERTY = Parameter("string", "The name of a property, or of an operator of the module.", required=True)

_ALL = (
    Request(
        "load",
        "Open a specification, and name its constants, actions and properties. A Python file is run. Files "
        "that did not change are not read again.",
        answers.load,
        {
            "spec": Parameter(
                "string", "A built-in name, FILE.tla, FILE.py, or FILE.py:Class.", required=True
            ),
            "constants": Parameter("object", "Values of constants, by name."),
            "config": Parameter("string", "TLA+: the configuration. Without it, FILE.cfg beside FILE.tla."),
            "library": Parameter("array", "TLA+: folders with modules that it extends."),
            "lemmas": Parameter("array", "TLA+: operators that help to prove."),
            "name": Parameter("string", "The name under which it is open."),
        },
    ),
    Request("list_specs", "Name the built-in specifications, and those that are open.", answers.list_specs),
    Request(
        "initial_states",
        "List the initial states.",
        answers.list_initial_states,
        {
            "spec": _SPEC,
            "limit": Parameter("integer", "List no more than this (20).", least=1),
            "json": _JSON,
        },
    ),
    Request(
        "state",
        "Show a state: its variables, and whether each property holds in it.",
        answers.show_state,
        {"spec": _SPEC, "state": _STATE, "json": _JSON},
    ),
    Request(
        "successors",
        "List the steps from a state: action, parameters, and the parts of the state that change.",
        answers.list_successors,
        {
            "spec": _SPEC,
            "state": _STATE,
            "action": Parameter("string", "List the steps of this action only."),
            "limit": Parameter("integer", "List no more than this (100).", least=1),
        },
    ),
    Request(
        "why_disabled",
        "Say why an action is not enabled in a state: the first conjunct of its guard that is false, with "
        "the values that it reads, for the parameters that come farthest.",
        answers.explain_disabled,
        {
            "spec": _SPEC,
            "state": _STATE,
            "action": Parameter("string", "The action.", required=True),
            "parameters": Parameter("object", "Values of its parameters, as JSON or as text."),
            "limit": Parameter("integer", "Give no more ways than this (5).", least=1),
        },
    ),
    Request(
        "why_false",
        "Say whether a property holds in a state, and if not, the smallest parts that are false.",
        answers.explain_false,
        {
            "spec": _SPEC,
            "property": _PROPERTY,
            "state": _STATE,
            "before": Parameter("integer", "Of a property of steps: the state before."),
        },
    ),
    Request(
        "evaluate",
        "Evaluate an expression in a state: TLA+ of a module, Python of a protocol, as in "
        "count(replicas, lambda r: …).",
        answers.evaluate,
        {"spec": _SPEC, "state": _STATE, "expression": Parameter("string", "The expression.", required=True)},
    ),
    Request(
        "evaluate_along",
        "Evaluate an expression in every state of the execution; null where it has no value.",
        walking.evaluate_along,
        {"spec": _SPEC, "expression": Parameter("string", "The expression.", required=True)},
    ),
    Request(
        "find_state",
        "Walk from the current state to the nearest one in which an expression is true, or say that none "
        "was found.",
        walking.find_state,
        {
            "spec": _SPEC,
            "expression": Parameter("string", "The expression.", required=True),
            "depth": Parameter("integer", "The most steps from here.", least=0),
            "limit": Parameter("integer", "Look at no more states than this (5000).", least=1),
        },
        is_long=True,
    ),
    Request(
        "go",
        "Begin a new execution at a state: an initial state, or any other that has a number.",
        walking.go,
        {"spec": _SPEC, "state": Parameter("integer", "The number of the state.", required=True)},
    ),
    Request(
        "step",
        "Take a step from the current state, named by its action, parameters or target.",
        walking.take_step,
        {
            "spec": _SPEC,
            "action": Parameter("string", "The action."),
            "parameters": Parameter("object", "Values of its parameters, as JSON or as text."),
            "to": Parameter("integer", "The number of the next state."),
        },
    ),
    Request(
        "back",
        "Go back on the execution. The steps stay, for forward.",
        walking.go_back,
        {"spec": _SPEC, "steps": Parameter("integer", "How many (1).", least=1)},
    ),
    Request(
        "forward",
        "Go forward again on the execution, where back was.",
        walking.go_forward,
        {"spec": _SPEC, "steps": Parameter("integer", "How many (1).", least=1)},
    ),
    Request("path", "Show the execution on which one walks.", walking.show_path, {"spec": _SPEC}),
    Request(
        "random_walk",
        "Take random steps from the current state. The same seed takes the same steps.",
        walking.walk_randomly,
        {
            "spec": _SPEC,
            "steps": Parameter("integer", "How many at most (20).", least=1),
            "seed": Parameter("integer", "The seed (0)."),
            "until": Parameter("string", "End in the first state in which this expression is true."),
        },
        is_long=True,
    ),
    Request(
        "coverage",
        "Say how often each action, and each alternative of its guard, is taken in the states nearest to the "
        "initial ones, and what stands in the way of an action that is never enabled.",
        coverage.measure_coverage,
        {"spec": _SPEC, "limit": Parameter("integer", "Look at no more states than this (2000).", least=1)},
        is_long=True,
    ),
    Request(
        "check",
        "Run an engine on a specification, as the command does: verdicts, counts, and executions as lists "
        "of actions. Final verdicts are kept for the same question.",
        answers.check,
        {
            "spec": _SPEC,
            "engine": Parameter("string", f"One of {', '.join(ENGINES)} (check)."),
            "properties": Parameter("array", "The properties; without them, those by default."),
            "depth": Parameter(
                "integer", "The largest number of actions in an execution, for engines with a depth.", least=0
            ),
            "timeout": Parameter("string", "End after this time, with what is known: 90s, 5m."),
            "memory": Parameter("string", "Stay within this much memory: 512MiB, 2GiB."),
            "options": Parameter("object", "Further options of the command by name, as in docs/engines.md."),
            "traces": Parameter("boolean", "Give executions as whole ITF objects."),
            "fresh": Parameter("boolean", "Run again, even if the verdict is kept."),
        },
        is_long=True,
    ),
    Request(
        "counterexample",
        "Walk to the end of the counterexample that check found for a property, and explain it.",
        answers.show_counterexample,
        {"spec": _SPEC, "property": _PROPERTY},
    ),
    Request(
        "follow",
        "Walk the execution in a file (ITF JSON), as far as it is one of the specification.",
        walking.follow,
        {"spec": _SPEC, "trace": Parameter("string", "The file.", required=True)},
    ),
    Request(
        "conform",
        "Say of each log whether the specification allows it, and if not, at which line and why.",
        answers.conform,
        {
            "spec": _SPEC,
            "logs": Parameter("array", "The files.", required=True),
            "mapping": Parameter("string", "The file that says what events mean; one in Python is run."),
            "env": Parameter("string", "The environment variable through which a module gets its log."),
            "timeout": Parameter("number", "Seconds for each log."),
        },
        is_long=True,
    ),
    Request(
        "close",
        "Forget a specification.",
        answers.close,
        {"spec": Parameter("string", "Its name.", required=True)},
    ),
)

REQUESTS: Mapping[str, Request] = {one.name: one for one in _ALL}
