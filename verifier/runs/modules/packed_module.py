"""A module with its question, as texts and words: another machine reads it again and expands its states.

Files have other folders there, and nothing else differs: the hash of the module's meaning must be the same.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from verifier.files import bytes_of
from verifier.runs.explore_options import ExploreOptions
from verifier.runs.modules.asked_properties import prepare_properties
from verifier.runs.modules.loading import TlaLoaded, load
from verifier.tla.coding import Coding
from verifier.tla.explorer import Explorer
from verifier.tla.reading_files import READERS
from verifier.tla.value_types import ModelValue
from verifier.tla.workers.messages import Found, Task
from verifier.tla.workers.stateless_worker import StatelessWorker
from verifier.version import tool_version

_CONFIGURATION = "configuration"
"""The folder of the configuration."""
_OF_A_MACHINE = re.compile(rb"\b(?:%b)\b" % b"|".join(map(str.encode, sorted((*READERS, "IOEnv")))))
"""Operators whose values differ among machines: they read files, or the environment."""


class OtherMeaning(Exception):
    """Raised if a module means something else where it is read again."""


@dataclass(frozen=True)
class PackedModule:
    """All that is needed to expand states of a module."""

    files: Mapping[str, bytes]
    """The texts, by folder and name."""
    module: str
    configuration: str
    libraries: tuple[str, ...]
    settings: Mapping[str, str]
    said: Mapping[str, Any]
    options: ExploreOptions
    checked: tuple[str, ...]
    """The properties that are checked in each state and step."""
    spec_hash: str
    version: str
    key: str = field(default_factory=lambda: secrets.token_hex(8))
    """Tells this question from others in the same process."""

    def prepare(self) -> str:
        """Read the module, once in each process. Return the reason if that is not possible."""
        if self.key not in _WORKERS:
            _WORKERS.clear()
            try:
                _WORKERS[self.key] = self._make_worker()
            except Exception as error:  # noqa: BLE001 -- whatever it is, it is the same at each attempt
                return f"the module cannot be read again: {error or type(error).__name__}"
        return ""

    def answer(self, task: Task) -> Found | str:
        """Expand states. Return the reason if that is not possible."""
        return self.prepare() or _WORKERS[self.key].expand(task)

    def _make_worker(self) -> StatelessWorker:
        if self.version != tool_version():
            raise OtherMeaning(f"this is verify {tool_version()}, and the command is {self.version}")
        loaded, _, checked = prepare_properties(self._load(), self.options)
        if (loaded.definition.spec_hash, checked) != (self.spec_hash, self.checked):
            raise OtherMeaning(f"{loaded.definition.name} has another meaning where it is read again")
        spec = loaded.specification
        explorer = Explorer(spec, properties=checked, by_columns=False)
        assert spec.next is not None  # else there is nothing to expand
        walk, models = explorer.walks.over(spec.next, primed=False), explorer.evaluator.model_values
        coding = Coding(lambda name: models.setdefault(name, ModelValue(name)))
        return StatelessWorker(explorer, walk, coding)

    def _load(self) -> TlaLoaded:
        with TemporaryDirectory(prefix="verify-module-") as folder:
            root = Path(folder)
            for name, text in self.files.items():
                path = root / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(text)
            return load(
                str(root / self.module),
                self.settings,
                root / self.configuration,
                [root / library for library in self.libraries],
                said=self.said,
            )


_WORKERS: dict[str, StatelessWorker] = {}
"""The worker of this process, by the key of its question."""


def pack(loaded: TlaLoaded, options: ExploreOptions, checked: tuple[str, ...]) -> PackedModule:
    """Pack a module, and the properties that are checked."""
    folders = [loaded.path.parent, *loaded.libraries]
    *modules, configuration = loaded.files
    names = {file: f"{folders.index(file.parent)}/{file.name}" for file in modules}
    configured = f"{_CONFIGURATION}/{configuration.name}"
    files = {name: bytes_of(file) for file, name in names.items()}
    return PackedModule(
        files={**files, configured: bytes_of(configuration)},
        module=names[loaded.path],
        configuration=configured,
        libraries=tuple(map(str, range(1, len(folders)))),
        settings=loaded.settings,
        said=loaded.said,
        options=replace(options, master=None, work=None, resume=False, archive=None, conf=()),
        checked=checked,
        spec_hash=loaded.definition.spec_hash,
        version=tool_version(),
    )


def explain_this_machine(packed: PackedModule) -> str:
    """Return the reason why only this machine can evaluate a module; empty if there is none."""
    texts = [*packed.files.values(), *(value.encode() for value in packed.settings.values())]
    found = next(filter(None, map(_OF_A_MACHINE.search, texts)), None)
    return f"{found[0].decode()} depends on the machine" if found is not None else ""
