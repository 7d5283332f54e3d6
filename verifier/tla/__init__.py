"""TLA+ modules and TLC's configurations: read, resolved, and explored by an interpreter.

**From text to abstract syntax.** ``text`` blanks comments and parses. ``modules`` and ``loading`` find what
a module extends and instantiates; ``expressions`` and ``operators`` make the abstract syntax of ``ast``, in
which every name is resolved (``scope``) and operators are put together by SANY's precedences
(``precedence``). An INSTANCE has definitions of its own, read anew with what was put for the parameters of
the module. ``standard`` says which operators are built in; ``library/`` has modules said in TLA+. ``config``
reads a configuration, and ``specification`` puts both together: Init, Next, what is to be checked, the
values of constants, and what stands for what (``resolve``).

**Values** are ``values``: integers, strings, frozen sets, tuples, ``Fn``, and lazy sets. ``order`` is TLC's
order of them.

**Evaluation.** ``facts`` knows the level of an expression and what is bound around it. ``evaluator`` compiles
expressions to closures over a frame of slots (``frames``); its parts are ``logic`` (formulas), ``forms``
(syntax), ``calls`` (names, definitions, LET) and the operators of ``primitives`` and ``extensions``.
``actions`` walks Init and Next as TLC does, so that it generates the same states as often. What has no value
raises ``Undefined``, with the place and the operators around it.

**Exploration.** ``explorer`` is the breadth-first search, which fills ``found``. ``symmetry`` has the
permutations, which ``automorphisms`` checks, ``naming`` the actions of Next, ``itf`` traces as JSON. The
engines know nothing of this room.
"""
