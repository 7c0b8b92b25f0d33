"""Count tokens offline with the o200k vocabulary; without a wheel for it, bytes are an upper bound."""

from __future__ import annotations

from functools import cache
from typing import Any

from mission.domain.token_budget import Tokenizer


class BytePairs:
    """The o200k vocabulary."""

    name = "o200k_base"

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding

    def count(self, text: str, *, limit: int) -> int | None:
        """Return the number of tokens in the text; None if it is more than `limit`."""
        found: int | None = self._encoding.count_till_limit(text, limit)
        return found


class Utf8Bytes:
    """An upper bound: a token is at least one byte."""

    name = "utf8_bytes"

    def count(self, text: str, *, limit: int) -> int | None:
        size = len(text.encode("utf-8", "surrogatepass"))
        return size if size <= limit else None


@cache
def tokenizer() -> Tokenizer:
    """Return the best tokenizer installed. A vocabulary takes 0.2 s and 65 MB or more, so it is loaded on first use."""
    for load in (_rs_bpe, _bpe_openai):
        try:
            return BytePairs(load())
        except ImportError:
            continue
    return Utf8Bytes()


def _rs_bpe() -> Any:
    """Load the lighter one, which has wheels up to Python 3.13."""
    from rs_bpe.bpe import openai  # type: ignore[import-not-found]

    return openai.o200k_base()


def _bpe_openai() -> Any:
    """Load the one for later versions. It counts the same but takes twice the memory and 0.5 s more.

    Its public class cannot stop counting at a limit and refuses long texts, so we use the class below it.
    """
    from bpe_openai import _bindings  # type: ignore[import-untyped, import-not-found, unused-ignore]

    return _bindings.tokenizer_for_encoding("o200k_base")
