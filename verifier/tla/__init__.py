"""TLA+ modules and TLC's configurations: read, resolved, and explored by an interpreter.

**From text to abstract syntax.** ``text`` blanks comments and parses. ``modules`` and ``loading`` find the
modules that a module extends and instantiates. ``expressions`` and ``operators`` make the abstract syntax of
``ast``, in which every name is resolved (``scope``). Operators are grouped by SANY's precedences
(``precedence``). An INSTANCE has definitions of its own: its module is read again with the substitutes for
its parameters. ``standard`` lists the built-in operators; ``library/`` has modules written in TLA+.
``config`` reads a configuration. ``specification`` combines module and configuration: Init, Next, the
properties, the values of constants, and replaced definitions (``resolve``).

**Values** are ``values``: integers, strings, frozen sets, tuples, ``Fn``, and lazy sets. ``order`` is TLC's
order of them.

**Evaluation.** ``facts`` has the level and the free names of an expression. ``evaluator`` compiles
expressions to closures over a frame of slots (``frames``). Its parts are ``logic`` (formulas), ``forms``
(syntax), ``calls`` (names, definitions, LET), and the operators of ``primitives`` and ``extensions``.
``actions`` walks Init and Next as TLC does, so that it generates the same states, as often; ``drawing`` has
it take some of them. An expression
without a value raises ``Undefined``, with its place and the operators around it.

**Exploration.** ``explorer`` is the breadth-first search, which fills an ``exploration_result``.
``symmetry`` has the permutations, which ``automorphisms`` checks. ``naming`` has the actions of Next, ``itf``
traces as JSON. The engines know nothing of this package.
"""
