"""Finds and calls the C function of libtraincost."""

import ctypes
import ctypes.util
import json
import os
import pathlib
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

Answer = Dict[str, Any]


class Problem(NamedTuple):
    """One problem: its place ("--tp") and a message."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class TraincostError(ValueError):
    """A question without an answer; `kind` is usage, input, not_found or internal."""

    def __init__(self, kind: str, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.kind = kind
        self.problems: List[Problem] = list(problems)


def _candidates() -> List[str]:
    named = os.environ.get("TRAINCOST_LIBRARY")
    if named:
        return [named]
    beside = sorted(pathlib.Path(__file__).resolve().parent.glob("libtraincost.*"))
    installed = ctypes.util.find_library("traincost")
    return [str(path) for path in beside] + ([installed] if installed else [])


def _load() -> ctypes.CDLL:
    reasons = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            library.traincost_ask.argtypes = [ctypes.c_char_p]
            library.traincost_ask.restype = ctypes.c_void_p  # kept as it is, to be freed
            library.traincost_free.argtypes = [ctypes.c_void_p]
            library.traincost_free.restype = None
            library.traincost_version.argtypes = []
            library.traincost_version.restype = ctypes.c_char_p
            return library
        except (OSError, AttributeError) as error:
            reasons.append(str(error))
    raise ImportError(
        "libtraincost.so was not found: install the traincost package or wheel, or name the file in TRAINCOST_LIBRARY"
        + "".join(f"\n  {reason}" for reason in reasons)
    )


_library = _load()

version: str = _library.traincost_version().decode()


def _json_name(name: str) -> str:
    return name.replace("_", "-")


def _member(value: Any) -> Any:
    """Paths as their names, sets of values as lists."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (tuple, set, range)):
        return [_member(each) for each in value]
    if hasattr(value, "item") and not isinstance(value, (list, dict)):  # a number of numpy
        return value.item()
    return value


def question_of(command: str, members: Mapping[str, Any]) -> Dict[str, Any]:
    """The question as traincost.h describes it; members that are None and switches that are off are omitted."""
    question: Dict[str, Any] = {"command": command}
    for name, value in members.items():
        if value is not None and value is not False:
            question[_json_name(name)] = _member(value)
    return question


def ask(command: str, question: Optional[Mapping[str, Any]] = None, /, **members: Any) -> Answer:
    """The answer of any command: ``ask("estimate", model="llama-3.1-8b", gpu="h100", ...)``.

    `question` is laid under the keywords. Raises `TraincostError`. Safe to call from several threads; other
    threads of Python run meanwhile.
    """
    text = json.dumps(question_of(command, {**(question or {}), **members}), allow_nan=False)
    pointer = _library.traincost_ask(text.encode())
    if not pointer:
        raise MemoryError("traincost_ask")
    try:
        answer = json.loads(ctypes.string_at(pointer))
    finally:
        _library.traincost_free(pointer)
    if "error" in answer:
        error = answer["error"]
        raise TraincostError(error["kind"], [Problem(each["path"], each["message"]) for each in error["problems"]])
    return answer
