"""PyVMT's reading of VMT-LIB files: ``python -m tests.support.vmt_reader DEPTH FILE...`` prints it as JSON.

For the first property of each file it has the fewest steps to a violation up to a depth. It also says whether
the property holds initially and is preserved by every step. This is a process of its own, because PyVMT
replaces pySMT's environment; nothing of verify is imported here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pysmt.shortcuts import And, Not, Solver, Symbol
from pyvmt.environment import get_env
from pyvmt.shortcuts import Next
from pyvmt.vmtlib.reader import read


def _examine(path: Path, depth: int) -> dict[str, Any]:
    with path.open(encoding="utf-8") as stream:
        system = read(stream)
    init, trans = system.get_init_constraint(), system.get_trans_constraint()
    properties = [prop.formula for prop in system.get_all_properties().values()]
    state, inputs = list(system.get_state_vars()), list(system.get_input_vars())

    def at(formula: Any, step: int) -> Any:
        names = {symbol: Symbol(f"{symbol.symbol_name()}@{step}") for symbol in (*state, *inputs)}
        names |= {Next(symbol): Symbol(f"{symbol.symbol_name()}@{step + 1}") for symbol in state}
        return get_env().substituter.substitute(formula, names)

    shortest = None
    with Solver(name="z3") as solver:
        solver.add_assertion(at(init, 0))
        for steps in range(depth + 1):
            if solver.solve([at(Not(properties[0]), steps)]):
                shortest = steps
                break
            solver.add_assertion(at(trans, steps))
    with Solver(name="z3") as solver:
        initially = not solver.is_sat(at(And(init, Not(properties[0])), 0))
        step = And(at(properties[0], 0), at(trans, 0), at(Not(properties[0]), 1))
        return {
            "state": len(state),
            "inputs": len(inputs),
            "properties": len(properties),
            "shortest": shortest,
            "initially": initially,
            "inductive": not solver.is_sat(step),
        }


def main() -> None:
    """Prints one object, by the names of the files."""
    depth, *paths = sys.argv[1:]
    print(json.dumps({Path(path).stem: _examine(Path(path), int(depth)) for path in paths}))


if __name__ == "__main__":
    main()
