"""The functions of the library for IC3's queries: a solver of clauses, and orbits of blocked cubes."""

from __future__ import annotations

import ctypes
import weakref
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

_SIGNED, _UNSIGNED, _LONG = ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64
_ADDRESS = ctypes.c_void_p
_END = 0xFFFFFFFF
"""Ends a clause."""
_MARKS = 256
"""Words of a row of marks, one for each step."""
MOST_KEPT = 64 * _MARKS
"""The number of steps that are kept: the last ones."""


class QueryFunctions:
    """The functions. Literals are checked here, since C does not."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        """Raises AttributeError if one is missing."""
        kinds: dict[str, tuple[object, list[object]]] = {
            "solver_new": (_ADDRESS, [_UNSIGNED]),
            "solver_delete": (None, [_ADDRESS]),
            "solver_add": (None, [_ADDRESS, _ADDRESS, _UNSIGNED]),
            "solver_exclude": (None, [_ADDRESS, _ADDRESS, _UNSIGNED]),
            "solver_solve": (
                _SIGNED,
                [_ADDRESS, _ADDRESS, _SIGNED, _ADDRESS, _UNSIGNED, _ADDRESS, _UNSIGNED, _ADDRESS],
            ),
            "solver_core": (_UNSIGNED, [_ADDRESS, _ADDRESS]),
            "orbits_new": (_ADDRESS, [_UNSIGNED, _UNSIGNED, _ADDRESS, _ADDRESS, _UNSIGNED]),
            "orbits_delete": (None, [_ADDRESS]),
            "orbits_add": (_UNSIGNED, [_ADDRESS, _ADDRESS, _UNSIGNED, _SIGNED]),
            "orbits_images": (_UNSIGNED, [_ADDRESS, _UNSIGNED]),
            "orbits_set_level": (None, [_ADDRESS, _UNSIGNED, _SIGNED]),
            "orbits_find_subsumed": (_UNSIGNED, [_ADDRESS, _UNSIGNED, _ADDRESS]),
            "orbits_keep_support": (None, [_ADDRESS, _UNSIGNED, _ADDRESS]),
            "orbits_is_supported": (_SIGNED, [_ADDRESS, _UNSIGNED, _SIGNED]),
            "orbits_excludes": (_SIGNED, [_ADDRESS, _ADDRESS, _UNSIGNED, _SIGNED]),
            "orbits_open_frame": (None, [_ADDRESS]),
            "orbits_leave": (None, [_ADDRESS, _ADDRESS, _UNSIGNED, _UNSIGNED, _UNSIGNED]),
            "orbits_known_step": (_LONG, [_ADDRESS, _ADDRESS, _UNSIGNED, _UNSIGNED, _UNSIGNED, _ADDRESS]),
            "orbits_add_step": (_LONG, [_ADDRESS, _ADDRESS, _UNSIGNED, _UNSIGNED]),
            "encode_literals": (_SIGNED, [_ADDRESS, _UNSIGNED, _UNSIGNED]),
        }
        for name, (result, arguments) in kinds.items():
            function = getattr(functions, name)
            function.restype, function.argtypes = result, arguments
        self.library = functions


def _coded(literal: int) -> int:
    return 2 * literal - 2 if literal > 0 else -2 * literal - 1


class _Codes:
    """Literals as the library codes them."""

    def __init__(self, library: ctypes.CDLL, literals: Iterable[int], variables: int) -> None:
        self._array = array("i", literals)
        self.address, self.size = self._array.buffer_info()
        assert library.encode_literals(self.address, self.size, variables)


class CompiledOrbits:
    """Blocked cubes with their images, and the steps that queries found. Frames are numbered from 0 on."""

    def __init__(
        self,
        functions: QueryFunctions,
        bits: int,
        permutations: Sequence[Sequence[int]],
        class_of: dict[int, int],
    ) -> None:
        """``permutations``: for each bit its image, from place 1 on. ``class_of``: for each literal one that
        stands for all its images."""
        self._library = functions.library
        self._bits = bits
        codes = [literal for bit in range(1, bits + 1) for literal in (bit, -bit)]
        moved = [_coded(p[v] if v > 0 else -p[-v]) for p in permutations for v in codes]
        classes = [_coded(class_of[literal]) for literal in codes]
        assert all(0 <= code < 2 * bits for code in chain(moved, classes))
        self.handle = self._library.orbits_new(
            bits, len(permutations), _array(moved), _array(classes), _MARKS
        )
        weakref.finalize(self, self._library.orbits_delete, self.handle)
        self._permutation = _UNSIGNED()
        self._room = 0
        self._places = (_UNSIGNED * 0)()
        self.frames = 0
        self.count = 0

    def _encode(self, cube: Sequence[int]) -> _Codes:
        return _Codes(self._library, cube, self._bits)

    def open_frame(self) -> None:
        """Add a frame, in which all states are."""
        self._library.orbits_open_frame(self.handle)
        self.frames += 1

    def add(self, cube: Sequence[int], level: int) -> tuple[int, int]:
        """Exclude a cube and its images from the frames 1 to ``level``. Returns its number, and how many
        images it has."""
        assert 0 < level < self.frames
        codes = self._encode(cube)
        number: int = self._library.orbits_add(self.handle, codes.address, codes.size, level)
        self._library.orbits_leave(self.handle, codes.address, codes.size, 1, level)
        self.count += 1
        return number, self._library.orbits_images(self.handle, number)

    def move_up(self, number: int, cube: Sequence[int], level: int) -> None:
        """Exclude an orbit, which all frames below exclude, from one more."""
        assert 0 < level < self.frames
        assert number < self.count
        self._library.orbits_set_level(self.handle, number, level)
        codes = self._encode(cube)
        self._library.orbits_leave(self.handle, codes.address, codes.size, level, level)

    def find_subsumed(self, number: int) -> Sequence[int]:
        """Find and drop the orbits that this one subsumes at their level, or above it."""
        assert number < self.count
        if self._room < self.count:
            self._room = 2 * self.count
            self._places = (_UNSIGNED * self._room)()
        found = self._library.orbits_find_subsumed(self.handle, number, self._places)
        places: list[int] = self._places[:found]
        return places

    def keep_support(self, number: int, solver: CompiledSolver) -> None:
        """Note that the solver's last answer proves that the orbit's clause holds after each step from a
        state of its frame. The frame must exclude the orbit."""
        assert number < self.count
        self._library.orbits_keep_support(self.handle, number, solver.handle)

    def is_supported(self, number: int, frame: int) -> bool:
        """True if the frame has all clauses of the noted proof, so that the proof holds in it, too."""
        assert number < self.count
        return bool(self._library.orbits_is_supported(self.handle, number, frame))

    def excludes(self, cube: Sequence[int], level: int) -> bool:
        """True if a single clause of the frame excludes the cube."""
        codes = self._encode(cube)
        return bool(self._library.orbits_excludes(self.handle, codes.address, codes.size, level))

    def known_step(self, cube: Sequence[int], frame: int, most: int) -> tuple[int, int] | None:
        """The number of a step from the frame, outside an image of the cube, into it, and the permutation
        that makes the image, by its place. The first ``most`` permutations are tried."""
        assert 0 <= frame < self.frames
        codes = self._encode(cube)
        number = self._library.orbits_known_step(
            self.handle, codes.address, codes.size, frame, most, ctypes.byref(self._permutation)
        )
        return None if number < 0 else (number, self._permutation.value)

    def add_step(self, solver: CompiledSolver, stride: int, frame: int) -> int:
        """Keep the step of the solver's last model. Variable ``stride + i`` is bit i of the next state."""
        assert self._bits <= stride <= solver.variables - self._bits
        assert 0 <= frame < self.frames
        number: int = self._library.orbits_add_step(self.handle, solver.model, stride, frame)
        return number


class CompiledSolver:
    """A solver of clauses. Variables are numbered from 1 on, as in ``ClauseSolver``."""

    def __init__(self, functions: QueryFunctions, variables: int, clauses: Iterable[Sequence[int]]) -> None:
        self._library = functions.library
        self.variables = variables
        self.handle = self._library.solver_new(variables)
        weakref.finalize(self, self._library.solver_delete, self.handle)
        self.model = (ctypes.c_int8 * (2 * variables))()
        """For each literal 1 or -1, in the library's order."""
        self._core = (_SIGNED * (2 * variables))()
        self.add_clauses(clauses)

    def add_clauses(self, clauses: Iterable[Sequence[int]]) -> None:
        """Add clauses for good."""
        codes = [code for clause in clauses for code in (*map(_coded, clause), _END)]
        assert all(code == _END or 0 <= code < 2 * self.variables for code in codes)
        self._library.solver_add(self.handle, _array(codes), len(codes))

    def exclude(self, orbits: CompiledOrbits, number: int) -> None:
        """Add the clause of an orbit's representative."""
        assert number < orbits.count
        self._library.solver_exclude(self.handle, orbits.handle, number)

    def satisfiable(
        self,
        own: Sequence[int],
        assumptions: Sequence[int],
        orbits: CompiledOrbits | None = None,
        frame: int = 0,
    ) -> bool:
        """True if the clauses, one of this query's own unless it is empty, and those of the orbits that the
        frame excludes have a model under the assumptions."""
        mine, assumed = (
            _Codes(self._library, dict.fromkeys(each), self.variables) for each in (own, assumptions)
        )
        handle = orbits.handle if orbits else None
        return bool(
            self._library.solver_solve(
                self.handle,
                handle,
                frame,
                mine.address,
                mine.size,
                assumed.address,
                assumed.size,
                self.model,
            )
        )

    def core(self) -> set[int]:
        """The assumptions that contradict the clauses of the last query."""
        count = self._library.solver_core(self.handle, self._core)
        return set(self._core[:count])

    def values(self, variables: Iterable[int]) -> list[bool]:
        """The values of variables in the last model."""
        model = self.model
        return [model[2 * variable - 2] > 0 for variable in variables]


def _array(codes: Sequence[int]) -> ctypes.Array[ctypes.c_uint32]:
    return (_UNSIGNED * len(codes))(*codes)
