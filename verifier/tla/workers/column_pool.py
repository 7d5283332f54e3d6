"""The workers of a search by columns, and the numbers that each of them has for the values of states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.limits import Interrupted, Limits
from verifier.storage.distinct import distinct
from verifier.tla.coding import Code, Coding
from verifier.tla.columns.numbers import Column, Numbers
from verifier.tla.columns.search import Search
from verifier.tla.value_types import ModelValue
from verifier.tla.workers.column_messages import ColumnFound, ColumnTask
from verifier.tla.workers.column_worker import make_column_work

_UNKNOWN = -1


class _Values:
    """The values of one variable, and their bytes. Several workers find the same ones."""

    def __init__(self, numbers: Numbers, coding: Coding) -> None:
        self.numbers, self.coding = numbers, coding
        self._numbers: dict[Code, int] = {}
        self._codes: dict[int, Code] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, code: Code) -> int:
        """Return the number of the value that has these bytes."""
        number = self._numbers.get(code)
        if number is None:
            number = self._numbers[code] = self.numbers.of(self.coding.decode(code))
            self._codes[number] = code
        return number

    def code(self, number: int) -> Code:
        """Return the bytes of the value with a number. Raises Uncodable."""
        code = self._codes.get(number)
        return self.coding.encode(self.numbers.values[number]) if code is None else code


class _Translation:
    """The numbers that the search and a worker have for the values of one variable."""

    def __init__(self, values: _Values) -> None:
        self.values = values
        self.own, self.common = np.arange(len(values)), np.arange(len(values))
        """The worker's number of each number of the search, and the other way round. Values on their
        way to the worker have ``-2 - place``."""
        self.told = np.zeros(0, np.int64)
        """The values on their way, by the number of the search."""

    def to_own(self, column: Column) -> Column:
        """Return the worker's numbers. Sets ``told``, the values that it must be told."""
        self.own = _widen(self.own, len(self.values))
        made: Column = self.own[column]
        self.told = distinct(column[made == _UNKNOWN])
        if not len(self.told):
            return made
        self.own[self.told] = -2 - np.arange(len(self.told))
        return self.own[column]

    def hear_told(self, own: Column) -> None:
        """Hear the worker's numbers of the values that it was told."""
        self.own[self.told] = own
        self._join(own, self.told)

    def hear_fresh(self, own: Column, codes: Sequence[Code]) -> None:
        """Hear of values that the worker found."""
        common = np.array([self.values.number(code) for code in codes], np.int64)
        self.own = _widen(self.own, len(self.values))
        self.own[common] = own
        self._join(own, common)

    def _join(self, own: Column, common: Column) -> None:
        if len(own):
            self.common = _widen(self.common, int(own.max()) + 1)
            self.common[own] = common


def _widen(column: Column, count: int) -> Column:
    """Return a column with room for so many numbers."""
    if count <= len(column):
        return column
    return np.concatenate([column, np.full(count, _UNKNOWN)])


class _Mind:
    """The knowledge of a worker."""

    def __init__(self, values: Sequence[_Values]) -> None:
        self.translations = [_Translation(one) for one in values]
        self.first = -1
        """The first state of its latest task."""
        self.cpu_seconds = 0.0


class ColumnPool:
    """Workers that began as copies of a search by columns."""

    def __init__(self, search: Search, count: int) -> None:
        models = search.evaluator.model_values
        self.search = search
        coding = Coding(lambda name: models.setdefault(name, ModelValue(name)))
        values = [_Values(numbers, coding) for numbers in search.columns.numbers]
        self._children = Children(Limits())
        self.names = [f"worker {number}" for number in range(1, count + 1)]
        self.idle = list(self.names)
        self._minds = {name: _Mind(values) for name in self.names}
        try:
            for name in self.names:
                self._children.start(name, make_column_work(search, coding))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the workers."""
        self._children.__exit__()

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time of the workers."""
        return sum(mind.cpu_seconds for mind in self._minds.values())

    def measure_memory(self) -> int:
        """Return the bytes of the workers that they do not share with this process."""
        return self._children.measure_own_memory()

    def give(self, name: str, first: int, end: int) -> None:
        """Give a worker the states from the first one up to an end. Raises Uncodable."""
        mind, (columns, _) = self._minds[name], self.search.read(first, end)
        pairs = list(zip(mind.translations, columns, strict=True))
        own = [translation.to_own(column) for translation, column in pairs]
        told = [list(map(one.values.code, one.told.tolist())) for one in mind.translations]
        self.idle.remove(name)
        self._children.send(name, ColumnTask(own, told))
        mind.first = first

    def hear(self, seconds: float) -> Iterator[tuple[str, int, ColumnFound]]:
        """Wait for workers. Yield what they found, each with its first state. Raises Interrupted if a worker
        has ended."""
        for event in self._children.poll(seconds):
            match event:
                case Message(child=name, content=ColumnFound() as found):
                    mind = self._minds[name]
                    mind.cpu_seconds = found.cpu_seconds
                    for translation, own in zip(mind.translations, found.told, strict=True):
                        translation.hear_told(own)
                    yield name, mind.first, found
                case ChildEnded():
                    raise Interrupted(f"a worker ended before the search: {event.failure}")

    def translate(self, name: str, found: ColumnFound) -> list[Column]:
        """Return the successors that a worker found, in the numbers of the search."""
        translations = self._minds[name].translations
        for translation, (own, codes) in zip(translations, found.fresh, strict=True):
            translation.hear_fresh(own, codes)
        return [one.common[column] for one, column in zip(translations, found.columns, strict=True)]
