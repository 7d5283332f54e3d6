"""A small project with protocols of its own and a manifest, for the tests of ``verify ci``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.command_line import ROOT, verify
from verifier.runs.loading import load

SPECS = {
    "lock.py": "docs/tutorial/fenced_lock.py",
    "broken.py": "docs/tutorial/lease_lock.py",
    "sac.py": "specs/rabbitmq/single_active_consumer.py",
}


def _hash(name: str, chosen: str = "", **constants: int) -> str:
    """The hash that a spec has now: manifests in the tests are right until a test changes them."""
    return load(str(ROOT / SPECS[name]) + chosen, constants).definition.spec_hash


LOCK_HASH = _hash("lock.py", clients=2, last_token=2)
BROKEN_HASH = _hash("broken.py")

MANIFEST = f"""\
# A project of two protocols.

[defaults]
timeout = "1m"

[[cell]]
id = "lock"
spec = "lock.py"
constants = {{ clients = 2, last_token = 2 }}
depth = 8
spec_hash = "{LOCK_HASH}"  # reviewed
[cell.expect]
# What the store promises.
TypeInvariant = {{ verdict = "holds", depth = 8 }}
no_lost_write = {{ verdict = "holds", depth = 8 }}
later_write = {{ verdict = "reached", steps = 4 }}

# Known to be broken, and it must be found to be.

[[cell]]
id = "lock-broken"
spec = "broken.py"
depth = 8
spec_hash = "{BROKEN_HASH}"
seconds = 0.3
[cell.expect]
TypeInvariant = "holds"
no_lost_write = {{ verdict = "violated", steps = 5 }}

[[cell]]
id = "sac"
spec = "sac.py:RabbitSac"
constants = {{ queues = 2, apps = 2 }}
engine = "explore"
spec_hash = "{_hash("sac.py", ":RabbitSac", queues=2, apps=2)}"
distinct_states = 181
[cell.expect]
TypeOK = {{ verdict = "holds", depth = 8 }}
DeadlockBalanced = "holds"
DeadlockPerfect = "holds"

[[cell]]
id = "sac-induct"
spec = "sac.py:RabbitSac"
engine = "induct"
spec_hash = "{_hash("sac.py", ":RabbitSac")}"
[cell.expect]
DeadlockBalanced = "proved"

[[cell]]
id = "sac-live"
spec = "sac.py:RabbitSac"
constants = {{ queues = 2, apps = 2 }}
engine = "live"
options = {{ engine = "explicit" }}
spec_hash = "{_hash("sac.py", ":RabbitSac", queues=2, apps=2)}"
[cell.expect]
Liveness = "violated"
"""


@dataclass(frozen=True)
class Project:
    """Files in a folder of their own."""

    folder: Path

    @property
    def manifest(self) -> Path:
        """The manifest's path."""
        return self.folder / "verify.toml"

    def edit(self, name: str, old: str, new: str) -> None:
        """Replaces a piece of text that a file has exactly once."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} has {text.count(old)} times: {old}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def check(self, *arguments: str) -> tuple[int, list[str]]:
        """Return the exit code of ``verify ci`` and the lines of unmet expectations."""
        done = verify("ci", str(self.manifest), *arguments)
        assert "Traceback" not in done.output
        return done.exit_code, [line for line in done.stdout.splitlines() if line.startswith("FAIL")]


def new_project(folder: Path) -> Project:
    """The project, with everything as expected."""
    for name, source in SPECS.items():
        (folder / name).write_text((ROOT / source).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "verify.toml").write_text(MANIFEST, encoding="utf-8")
    return Project(folder)
