"""The commands, one thin function each. Every job flag is a keyword argument: model, gpu, gpus, seq, tp, ..."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._library import Answer, _json_name, ask

Axes = Union[Mapping[str, Iterable[Any]], Sequence[str]]
Row = Dict[str, Any]


def estimate(**job: Any) -> Answer:
    """Memory, time and cost of one configuration."""
    return ask("estimate", job)


def plan(**job: Any) -> Answer:
    """Pre-training sheet: model size, memory by module and ZeRO stage, best strategies."""
    return ask("plan", job)


def recommend(**job: Any) -> Answer:
    """Best configurations for the job, and why; given degrees are fixed."""
    return ask("recommend", job)


def explain(item: Optional[str] = None, **job: Any) -> Answer:
    """Derivation of a number, "step.gemm": equation, symbols with values, sources; without an item, all items."""
    return ask("explain", job, item=item)


def timeline(**job: Any) -> Answer:
    """Timeline of one step, stage by stage."""
    return ask("timeline", job)


def achieved(**job: Any) -> Answer:
    """Efficiency of a finished run, from step_time, tokens_per_s or a log."""
    return ask("achieved", job)


def read(files: Iterable[Any], **more: Any) -> Answer:
    """Facts stated by launch files and training logs of other frameworks."""
    return ask("read", more, files=[str(file) for file in files])


def export(to: str, **job: Any) -> Answer:
    """The job as a launch file of another framework."""
    return ask("export", job, to=to)


def report(command: str = "estimate", **job: Any) -> str:
    """The answer of a command as a self-contained HTML page."""
    return str(ask("report", job, of=command)["html"])


def compare(jobs: Union[Mapping[str, Mapping[str, Any]], Iterable[Mapping[str, Any]]], **more: Any) -> Answer:
    """Jobs side by side, with ratios to the first. A mapping gives them names."""
    if isinstance(jobs, Mapping):
        named = [{"name": name, **job} for name, job in jobs.items()]
    else:
        named = [dict(job) for job in jobs]
    return ask("compare", more, jobs=[{_json_name(key): value for key, value in job.items()} for job in named])


class Sweep(List[Row]):
    """One flat row per combination: the varied values, then the answer's numbers under dotted names.

    ``pandas.DataFrame(sweep)`` and ``pandas.DataFrame(sweep.columns())`` are the same table.
    """

    def __init__(self, rows: Iterable[Row], answer: Answer) -> None:
        super().__init__(rows)
        self.answer: Answer = answer  #: as the command prints it

    def columns(self) -> Dict[str, List[Any]]:
        """Every column as a list; None if a row has no such value."""
        names: Dict[str, None] = {}
        for row in self:
            names.update(dict.fromkeys(row))
        return {name: [row.get(name) for row in self] for name in names}


def _flat(value: Any, path: str, row: Row) -> None:
    if isinstance(value, dict):
        for key, each in value.items():
            _flat(each, f"{path}.{key}" if path else key, row)
    elif not isinstance(value, list):
        row[path] = value


def _number(text: Any) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            continue
    return text


def _row(point: Mapping[str, Any]) -> Row:
    row: Row = {name: _number(value) for name, value in point["varied"].items()}
    for key, value in point.items():
        if key not in ("varied", "input", "schema_version"):
            _flat(value, key, row)
    return row


def _axis(name: str, values: Any) -> str:
    if isinstance(values, (str, int, float)):
        values = [values]
    return f"{_json_name(name)}=" + ",".join(str(value) for value in values)


def sweep(vary: Axes, **job: Any) -> Sweep:
    """Every combination of flag values: ``sweep({"tp": [1, 2, 4], "zero": range(4)}, model=..., ...)``."""
    axes = [_axis(name, values) for name, values in vary.items()] if isinstance(vary, Mapping) else list(vary)
    answer = ask("sweep", job, vary=axes)
    return Sweep([_row(point) for point in answer["points"]], answer)
