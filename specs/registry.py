"""Finds a protocol: by the name of a built-in one, or in a Python file."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

from verifier.errors import UsageError, cut, make_unknown_name_error, nearest
from verifier.files import bytes_of, did_you_mean, guess_meant_file
from verifier.specs.built_in import BUILT_IN
from verifier.specs.explaining import explain_error
from verifier.specs.protocol import Protocol


def load(spec: str) -> type[Protocol]:
    """The protocol that ``spec`` names: a built-in name, ``file.py`` or ``file.py:Class``. The file is run.

    Raises UsageError if there is no such protocol, or if the file cannot be read or run.
    """
    if spec in BUILT_IN:
        return _import_protocol(spec)
    if spec.endswith(".tla"):
        words = "is a TLA+ file; explore, bmc, prove, induct, simulate, show take it, this command does not"
        raise UsageError(f"{spec} {words}")
    path, colon, class_name = spec.rpartition(":")
    if colon and path.endswith(".py"):
        return _in_file(Path(path), class_name)
    if os.path.isdir(spec):
        raise UsageError(f"{spec} is a folder: name a file in it, as in {Path(spec, 'M.tla')}")
    if spec.endswith(".py") or "/" in spec:
        return _in_file(Path(spec), None)
    raise UsageError(f"unknown spec {cut(spec)!r} (allowed: {', '.join(BUILT_IN)}){_suggest_meaning(spec)}")


def _suggest_meaning(spec: str) -> str:
    """Suggest what a word that is no spec may mean: a built-in protocol, a file beside, or one to be
    named."""
    if spec.endswith(".cfg"):
        files = f"{cut(spec[:-4])}.tla --config {cut(spec)}"
        return f"; a configuration goes with its module, as in {files}"
    near, file = nearest(spec, BUILT_IN), guess_meant_file(Path(spec), ".tla", ".py")
    if file is not None and file.stem == Path(spec).stem:
        near = None
    meanings = [*([repr(near)] if near is not None else []), *([str(file)] if file is not None else [])]
    hint = f"; did you mean {' or '.join(meanings)}?" if meanings else ""
    if file is not None:
        return hint
    return f"{hint}; a protocol of your own is named by its file, as in {cut(spec)}.py or {cut(spec)}.tla"


def _import_protocol(name: str) -> type[Protocol]:
    module, _, class_name = BUILT_IN[name].place.partition(":")
    kind: type[Protocol] = getattr(importlib.import_module(module), class_name)
    return kind


def _in_file(path: Path, class_name: str | None) -> type[Protocol]:
    module = _run(path)
    classes = {
        name: item
        for name, item in vars(module).items()
        if isinstance(item, type) and issubclass(item, Protocol) and item.__module__ == module.__name__
    }
    if class_name is not None and class_name not in classes:
        raise make_unknown_name_error(f"protocol in {path}", class_name, classes)
    if class_name is not None:
        return classes[class_name]
    if not classes:
        raise UsageError(f"{path} defines no protocol: no class in it derives from Protocol{_other(module)}")
    if len(classes) > 1:
        example = next(iter(classes))
        raise UsageError(
            f"{path} defines several protocols ({', '.join(classes)}): say which, as in {path}:{example}"
        )
    return next(iter(classes.values()))


def _other(module: ModuleType) -> str:
    """The class of a module that is probably meant as a protocol: one with ``init``, or else the first."""
    own = [
        item
        for item in vars(module).values()
        if isinstance(item, type) and item.__module__ == module.__name__
    ]
    own.sort(key=lambda item: "init" not in vars(item))
    return f"; write class {own[0].__name__}(Protocol) if that is meant" if own else ""


def _run(path: Path) -> ModuleType:
    """Runs the file as a module. As for a script, it can import modules from its own folder."""
    try:
        source = bytes_of(path)
    except OSError as error:
        raise UsageError(
            f"cannot read the spec file {path}: {error.strerror}{did_you_mean(path, '.py', '.tla')}"
        ) from error
    module = ModuleType(f"verifier_spec_{path.stem}")
    module.__file__ = str(path)
    beside = str(path.resolve().parent)
    sys.modules[module.__name__] = module
    sys.path.insert(0, beside)
    try:
        exec(compile(source, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        raise UsageError(_explain_error(path, error)) from error
    finally:
        sys.path.remove(beside)
    return module


def _explain_error(path: Path, error: BaseException) -> str:
    """One line with the file, the line in it that was running or cannot be parsed, and the error."""
    lines, words = [], explain_error(error)
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            lines.append(step.tb_lineno)
        step = step.tb_next
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines, words = [error.lineno or 1], f"SyntaxError: {error.msg}"
    place = f"{path}, line {lines[-1]}" if lines else str(path)
    return f"{place}: {' '.join(words.split())}"
