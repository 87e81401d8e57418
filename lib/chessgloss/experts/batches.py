"""Work through many positions in batches: progress to stderr, results into one array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from typing import TypeVar

import numpy as np
from tqdm import tqdm

T = TypeVar("T")


def batched(items: Iterable[T], size: int, *, progress: bool, label: str) -> Iterator[list[T]]:
    """Yield lists of at most ``size`` items; with ``progress``, count them on stderr."""
    if size < 1:
        raise ValueError(f"batch must be at least 1, got {size}")
    total = len(items) if isinstance(items, Sized) else None
    with tqdm(total=total, desc=label, unit="pos", disable=not progress) as bar:
        iterator = iter(items)
        while chunk := list(islice(iterator, size)):
            yield chunk
            bar.update(len(chunk))


def gather(chunks: Iterable[np.ndarray], n: int, *tail: int) -> np.ndarray:
    """Copy chunks one after another into one float32 array (n and ``tail``), held only once."""
    whole = np.empty((n, *tail), dtype=np.float32)
    filled = 0
    for chunk in chunks:
        whole[filled : filled + len(chunk)] = chunk
        filled += len(chunk)
    if filled != n:
        raise ValueError(f"the chunks hold {filled} rows, {n} were expected")
    return whole


def check_layer(layer: str, layers: tuple[str, ...], expert: str) -> None:
    """Raise :class:`ValueError` that names the layers there are, if ``layer`` is none of them."""
    if layer not in layers:
        raise ValueError(f"{expert} has no layer {layer!r}; its layers are {', '.join(layers)}")
