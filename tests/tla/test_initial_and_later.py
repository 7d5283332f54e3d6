"""Properties that say something of initial states and of what comes later: every engine reads them, and a
lasso is as short as it can be seen to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module

_BODY = """EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Now == x = 0
Both == x = 0 /\\ <>(x = 1)
Later == x = 1 /\\ <>(x = 2)
Either == (x = 1 /\\ <>(x = 2)) \\/ (x = 2 /\\ <>(x = 1))
Implies == <>(x = 2) => x = 1
Never == <>(x = 5)
"""


def _ask(folder: Path, name: str, *words: str) -> dict[str, dict[str, object]]:
    path = write_module(folder, _BODY)
    (folder / "M.cfg").write_text(f"SPECIFICATION Spec\nPROPERTY {name}\n")
    done = verify(words[0], str(path), *words[1:], "--format", "json")
    assert done.exit_code in (0, 10, 12), done.output
    return {one["property"]: one for one in json.loads(done.stdout)["results"]}


@pytest.mark.parametrize("name", ["Now", "Both"])
@pytest.mark.parametrize(
    "command",
    ["prove", "live", "explore --by translation", "bmc --depth 4 --by translation", "simulate --walks 5"],
)
def test_every_engine_reads_a_property_that_is_true_initially(
    command: str, name: str, tmp_path: Path
) -> None:
    """Its part about initial states is decided once they are known. It was an internal error."""
    if command == "live" and name == "Now":
        pytest.skip("it is no temporal property")
    found = _ask(tmp_path, name, *command.split())
    open_ = "simulate" in command  # which proves nothing
    assert found[name]["verdict"] in (("INCONCLUSIVE",) if open_ else ("PROVED", "HOLDS"))


@pytest.mark.parametrize("engine", ["auto", "bmc", "explicit", "l2s"])
@pytest.mark.parametrize("name", ["Later", "Either", "Implies", "Never"])
def test_a_lasso_ends_where_the_execution_repeats(name: str, engine: str, tmp_path: Path) -> None:
    """A search closes a loop only where what the property remembers is as before, too: after five steps. So
    its lasso is not said to have the fewest steps."""
    found = _ask(tmp_path, name, "live", "--engine", engine)[name]
    assert (found["verdict"], found["steps"]) == ("VIOLATED", 3)
    assert not found["fewest"] or name == "Never"
    assert found["fewest"] or (name, engine) != ("Never", "bmc")
