"""The words that TLC meets in itself and in its modules, by which it orders strings (``verifier.tla.words``).

    python -m results.generators.tlc_words JAR…

Takes TLC's jar, and that of the Community Modules. Runs TLC on an empty module, and has it write its table of
words in the end; reads the texts of modules from the jars.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.support.tlc_words import table
from verifier.tla.text import parse_text
from verifier.tla.words import FILE, as_data, words_of

_ROOT = "ZzzRoot"
_MODULE = f"---- MODULE {_ROOT} ----\nVARIABLE zzzX\nInit == zzzX = 1\nNext == FALSE\n====\n"
_BETWEEN = ("LAMBDA", "nullLabelNode")
"""The first and the last word that TLC meets between parsing and analysing."""


def main(jars: list[str]) -> None:
    """Writes the file."""
    with tempfile.TemporaryDirectory() as folder:
        module, config = Path(folder, f"{_ROOT}.tla"), Path(folder, f"{_ROOT}.cfg")
        module.write_text(_MODULE)
        config.write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
        words = table(module, config, jars)
    first = words[: words.index("VARIABLE")]
    first = [word for word in first if word != _ROOT and not word.startswith("----")]
    between = words[words.index(_BETWEEN[0]) : words.index(_BETWEEN[1]) + 1]
    modules = {}
    for jar in reversed(jars):
        with zipfile.ZipFile(jar) as files:
            for name in files.namelist():
                if name.endswith(".tla") and name.startswith(("tla2sany/StandardModules/", Path(name).name)):
                    source = parse_text(files.read(name).decode(), name)
                    modules[Path(name).stem] = as_data(words_of(source, Path(name).stem), first)
    data = {"first": first, "modules": dict(sorted(modules.items())), "between": between}
    FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main([str(Path(jar).resolve()) for jar in sys.argv[1:]])
