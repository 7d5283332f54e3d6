"""Manifests that are refused, with one line: the place, the value, what is allowed, the nearest name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.support.ci_project import LOCK_HASH, Project, new_project
from tests.support.command_line import ROOT, wrong
from verifier.ci.manifest import _KEYS, read_manifest


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


WRONG = [
    ('id = "sac"', 'id = "lock"', "has two cells with id 'lock'"),
    (
        'engine = "explore"',
        'engine = "explode"',
        "cell sac: unknown engine 'explode' .*; did you mean 'explore'",
    ),
    ('engine = "explore"', "engine = 3", "cell sac: engine = 3 is not allowed"),
    ('spec = "lock.py"', 'spec = "lick.py"', "cell lock: spec = 'lick.py': there is no file"),
    ('spec = "lock.py"', 'spec = "kip32"', "cell lock: unknown spec 'kip32' .*; did you mean 'kip320'"),
    ('engine = "explore"', 'engine = "explore"\ndepth = "3"', 'depth = "3" is not allowed: it takes'),
    ('spec = "lock.py"\n', "", "cell lock has no spec"),
    ('id = "lock"\n', "", "cell 1 has no id"),
    ('id = "lock"', 'id = "a b"', "id = 'a b' is not allowed: it takes letters, digits"),
    (
        'timeout = "1m"',
        'timeout = "1y"',
        "timeout = 1y is not allowed: it takes a positive number of seconds",
    ),
    ('timeout = "1m"', 'memory = "lots"', "memory = lots is not allowed"),
    ('timeout = "1m"', "depth = 3", ", defaults: unknown key 'depth'"),
    ("[defaults]", "[default]", "[.]toml: unknown table 'default' .*; did you mean 'defaults'"),
    (
        f'spec_hash = "{LOCK_HASH}"',
        'spec_hsh = "1"',
        ", cell lock: unknown key 'spec_hsh'.*did you mean 'spec_hash'",
    ),
    (
        "constants = { clients = 2, last_token = 2 }",
        "constants = 2",
        "cell lock: constants = 2 is not allowed",
    ),
    (
        'no_lost_write = { verdict = "violated", steps = 5 }',
        'no_lost_write = "volated"',
        "unknown verdict 'volated' .*did you mean 'violated'",
    ),
    (
        'no_lost_write = { verdict = "violated", steps = 5 }',
        'no_lost_write = "inconclusive"',
        ": unknown verdict 'inconclusive'",
    ),
    (
        'no_lost_write = { verdict = "violated", steps = 5 }',
        "no_lost_write = true",
        "expect no_lost_write = True is not allowed",
    ),
    (
        'TypeInvariant = "holds"',
        'TypeInvariant = { verdict = "holds", steps = 2 }',
        "steps = 2 is for violated and reached",
    ),
    ('TypeInvariant = "holds"', "TypeInvariant = { depth = 2 }", "expect TypeInvariant has no verdict"),
    (
        'TypeInvariant = "holds"',
        'TypeInvariant = { verdict = "holds", deep = 2 }',
        ": unknown key 'deep' .*did you mean 'depth'",
    ),
    ('verdict = "reached", steps = 4', 'verdict = "reached", depth = 4', "depth = 4 is for holds"),
    ('verdict = "reached", steps = 4', 'verdict = "reached", steps = -4', "steps = -4 is not allowed"),
    ("distinct_states = 181", "distinct_states = true", "distinct_states = true is not allowed"),
    ("seconds = 0.3", "seconds = nan", "seconds = nan is not allowed"),
    (
        "seconds = 0.3",
        'options = { steps = "seriel" }',
        "steps = seriel is not allowed: .*did you mean 'serial'",
    ),
    ("seconds = 0.3", 'options = { steps = "parallel" }', "steps = 5 means the fewest steps, but bmc"),
    (
        'spec = "broken.py"\ndepth = 8',
        'spec = "broken.py"\nengine = "prove"',
        "steps = 5 means the fewest steps, but prove does not look for them: leave out steps, or set engine",
    ),
    ("seconds = 0.3", "options = { symmetry = 1 }", "symmetry = 1 is not allowed: it takes true or false"),
    ("seconds = 0.3", "options = { part = 1 }", "unknown option of bmc 'part'"),
    (
        "seconds = 0.3",
        "options = { simmetry = true }",
        "unknown option of bmc 'simmetry' .*did you mean 'symmetry'",
    ),
    ("seconds = 0.3", "options = { timeout = 3 }", "options has timeout: the cell's own key timeout says it"),
    ("seconds = 0.3", "distinct_states = 3", "distinct_states = 3 is for engine explore, not bmc"),
    (
        'engine = "induct"',
        'engine = "induct"\ndepth = 3',
        "depth = 3 is for bmc, explore, simulate, live: induct has no",
    ),
    (
        'DeadlockBalanced = "proved"',
        'DeadlockBalanced = { verdict = "violated", steps = 3 }',
        "steps = 3 means the",
    ),
    ("[defaults]", "[defaults", "verify.toml is not TOML"),
]


@pytest.mark.parametrize(("old", "new", "words"), WRONG, ids=[f"{new or old}" for old, new, _ in WRONG])
@pytest.mark.parametrize("command", ["ci", "matrix"])
def test_a_wrong_manifest_is_refused(project: Project, command: str, old: str, new: str, words: str) -> None:
    project.edit("verify.toml", old, new)
    line = wrong(command, str(project.manifest))
    assert re.search(words, line), line
    assert "verify.toml" in line


def test_an_empty_manifest_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "verify.toml"
    assert "cannot read the manifest" in wrong("ci", str(empty))
    empty.write_text("")
    assert "has no [[cell]] table, so there is nothing to check" in wrong("ci", str(empty))
    empty.write_text("[cell]\nid = 'one'\n")
    assert "a cell is written as a table [[cell]], with two brackets" in wrong("ci", str(empty))
    empty.write_text("[[cells]]\nid = 'a'\n[cell.expect]\nA = 'holds'\n" * 2)
    assert "unknown table 'cells' (allowed: cell, defaults); did you mean 'cell'?" in wrong("ci", str(empty))
    empty.write_text("[cell]\nid = 'one'\n[cell]\nid = 'two'\n")
    assert "a cell is written as a table [[cell]], with two brackets" in wrong("ci", str(empty))


def test_wrong_options_are_refused(project: Project, tmp_path: Path) -> None:
    manifest = str(project.manifest)
    assert ": unknown cell 'lock-brokn'" in (line := wrong("ci", manifest, "--cell", "lock-brokn"))
    assert line.endswith("did you mean 'lock-broken'?")
    assert "--jobs 0 is not allowed: it takes an integer, at least 1" in wrong("ci", manifest, "--jobs", "0")
    assert "--junit" in wrong("ci", manifest, "--junit", str(tmp_path / "none" / "results.xml"))
    assert "--update goes with neither" in wrong("ci", manifest, "--update", "--format", "json")
    assert "--groups 0 is not allowed" in wrong("matrix", manifest, "--groups", "0")
    assert "from 1 to 256" in wrong("matrix", manifest, "--groups", "257")


def test_the_page_shows_each_key_of_a_cell(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    section = page[page.index("## All that a cell can say") :]
    text = "\n".join(section.split("```toml\n")[number].partition("```")[0] for number in (1, 2))
    keys = {key for cell in tomllib.loads(text)["cell"] for key in cell}
    assert keys | {"distinct_states"} == set(_KEYS)
    assert "# distinct_states =" in text
    (tmp_path / "JobQueueAll.tla").write_text("---- MODULE JobQueueAll ----\n====\n")
    (tmp_path / "verify.toml").write_text(text)
    queue = read_manifest(tmp_path / "verify.toml").cells[1]
    assert (queue.engine, queue.options["all_constants"]) == ("prove", True)
    assert queue.reading.lemmas == ("OwnedIsTaken",)
