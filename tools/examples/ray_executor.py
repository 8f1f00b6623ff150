"""Ray as a `concurrent.futures.Executor`, for `executor=` of `train`, `count_words`, `tokenize`.

`ray.init` comes first, and `ray.init("ray://HEAD:10001")` joins a cluster, whose machines must see
the corpus under the same names.

Example:
    >>> ray.init()  # doctest: +SKIP
    >>> with RayExecutor() as executor:  # doctest: +SKIP
    ...     tokenize(Corpus(["corpus/"]), "wwho_328k", "shards", executor=executor)
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

import ray

T = TypeVar("T")


class RayExecutor(Executor):
    """Runs each call as a task of Ray, which decides where."""

    def submit(self, function: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        """Return the future of a call that a worker of Ray makes.

        Args:
            function: what is called; it and its arguments are pickled.
            arguments: its arguments by position.
            options: its arguments by name.
        """
        future: Future[T] = ray.remote(function).remote(*arguments, **options).future()
        return future
