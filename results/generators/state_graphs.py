"""``results/state-graphs.md``: graphs of ``verify explore --graph`` beside those that TLC wrote.

Run ``python -m results.generators.state_graphs FOLDER``. FOLDER has modules, their configurations, and for
each ``M.tla`` the graph ``M.tla.dot.json``, as ``specs/with_state_graphs`` of will62794/spectacle.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from verifier.cli.main import cli

_TABLE = Path(__file__).resolve().parents[1] / "state-graphs.md"
_INTERVAL = re.compile(r"(-?\d+)\.\.(-?\d+)")
_HEAD = """# State graphs beside TLC's

Run ``python -m results.generators.state_graphs FOLDER``, where FOLDER is ``specs/with_state_graphs`` of
will62794/spectacle. TLC made these graphs without a look for deadlocks. ``verify explore M.tla --graph
M.json`` makes one of the same module. Equal: the same states, by the texts of their values without spaces,
and the same edges. TLC's form draws parallel edges once, so they count once. An interval that TLC writes as
``1..3`` is the set.

"""


@dataclass(frozen=True)
class _Graph:
    states: frozenset[str]
    edges: frozenset[tuple[str, str]]


def _write_set(interval: re.Match[str]) -> str:
    return "{" + ",".join(map(str, range(int(interval[1]), int(interval[2]) + 1))) + "}"


def _normalise(label: str) -> str:
    """Return the text of a state without spaces, its variables in their order."""
    text = label.replace("\\\\", "\\").replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    parts = ("".join(part.split()) for part in re.split(r"(?:^|\n)\s*/\\ ", text) if part.strip())
    return "/\\".join(sorted(_INTERVAL.sub(_write_set, part) for part in parts))


def _read_graph(file: Path) -> _Graph:
    content = json.loads(file.read_text())
    states = {
        one["_gvid"]: _normalise(one["label"])
        for one in content.get("objects", [])
        if "label" in one and "nodes" not in one
    }
    edges = frozenset((states[edge["tail"]], states[edge["head"]]) for edge in content.get("edges", []))
    return _Graph(frozenset(states.values()), edges)


def _compare(folder: Path, module: str) -> str:
    """Return ``equal`` or what is different for a module, or why verify writes no graph."""
    ours = folder / "ours.json"
    ours.unlink(missing_ok=True)
    command = ["explore", str(folder / module), "--graph", str(ours), "--by", "interpreter"]
    done = CliRunner().invoke(cli, [*command, "--timeout", "60"])
    if not ours.exists():
        return "no graph: " + done.output.strip().split("\n")[-1].replace(f"{folder}/", "")[-160:]
    own, tlc = _read_graph(ours), _read_graph(folder / f"{module}.dot.json")
    if own == tlc:
        return f"equal | {len(tlc.states)} | {len(tlc.edges)}"
    states = len(own.states ^ tlc.states), len(own.edges ^ tlc.edges)
    return f"different: {states[0]} states and {states[1]} edges are in one of them only"


def _list_rows(source: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "modules"
        shutil.copytree(source, folder)
        for graph in sorted(folder.glob("*.tla.dot.json")):
            module = graph.name.removesuffix(".dot.json")
            configuration = folder / f"{module.removesuffix('.tla')}.cfg"
            if configuration.exists() and "CHECK_DEADLOCK" not in configuration.read_text():
                configuration.write_text(f"{configuration.read_text()}\nCHECK_DEADLOCK FALSE\n")
            row = f"{module} | {_compare(folder, module)}"
            print(row, flush=True)
            yield row


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    rows = list(_list_rows(parser.parse_args().folder))
    kinds = Counter(row.split(" | ")[1].split(":")[0] for row in rows)
    said = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    others = [f"- {row}" for row in rows if "| equal |" not in row]
    equal = [f"| {row} |".replace("| equal |", "|") for row in rows if "| equal |" in row]
    table = ["| equal to TLC's | states | edges |", "|---|---|---|", *equal]
    _TABLE.write_text("\n".join([f"{_HEAD}Of {len(rows)} graphs: {said}.", "", *others, "", *table]) + "\n")


if __name__ == "__main__":
    main()
