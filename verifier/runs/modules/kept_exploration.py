"""The folder of an exploration by the interpreter (``--work``), and what its run says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.errors import UsageError
from verifier.runs.explore_options import ExploreOptions
from verifier.runs.modules.loading import TlaLoaded
from verifier.runs.options import INTERPRETER
from verifier.tla.checks import list_evaluated_formulas
from verifier.version import tool_version

if TYPE_CHECKING:
    from verifier.tla.explorer import Explorer
    from verifier.tla.storing.level_keeper import LevelKeeper


@contextmanager
def open_keeper(
    loaded: TlaLoaded, options: ExploreOptions, properties: Sequence[str]
) -> Iterator[LevelKeeper | None]:
    """Hold the folder that the options name, if they do. Raises UsageError if it cannot be used."""
    if options.work is None:
        yield None
        return
    _refuse_drawn_values(loaded, properties)
    from verifier.storage.work_folder import WorkFolder  # small explorations need no NumPy
    from verifier.tla.storing.checkpoints import read_search
    from verifier.tla.storing.level_keeper import LevelKeeper

    definition = loaded.definition
    question = {
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        "constants": dict(definition.constants),
        "properties": sorted(properties),
        "symmetry": bool(loaded.specification.symmetry),
        "semantics": INTERPRETER,
        "version": tool_version(),
    }
    models = loaded.specification.evaluator.model_values
    with WorkFolder(Path(options.work), question, read_search, resume=options.resume) as folder:
        yield LevelKeeper(folder, models, resume=options.resume)


def _refuse_drawn_values(loaded: TlaLoaded, properties: Sequence[str]) -> None:
    """Raise UsageError if a definition has a random value: the run that continues would draw another."""
    spec = loaded.specification
    for one in list_evaluated_formulas(spec, set(properties)):
        if spec.evaluator.analysis.of(one.body, one.module).drawn:
            words = "a definition has a random value, and a run that continues would draw another"
            raise UsageError(f"--work is not possible: {words}; {one.body.place} needs it")


def describe_files(explorer: Explorer, keeper: LevelKeeper | None) -> dict[str, Any]:
    """Return the figures of the files, and the level from which the search continued."""
    columns = explorer.columns.search
    in_files = explorer.known.size if columns is None or columns.old is None else columns.old.size
    temporary = {"bytes_in_temporary_files": in_files} if in_files else {}
    if keeper is None:
        return temporary
    resumed = {} if keeper.resumed is None else {"resumed_at_level": keeper.resumed.level}
    return {"bytes_in_files": keeper.bytes, **temporary, **resumed}
