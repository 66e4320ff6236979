"""The metrics text, read as Prometheus reads it (its own parser), and more strictly than it does."""

import math
import re

from prometheus_client.parser import text_string_to_metric_families

_LINE = re.compile(
    r"# HELP [a-z_]+ [^\n]+|# TYPE [a-z_]+ (counter|gauge|histogram)"
    r'|[a-z_]+(\{[a-z_]+="[^"\\\n]*"(,[a-z_]+="[^"\\\n]*")*\})? [0-9][0-9.e+-]*'
)

Key = tuple[str, tuple[tuple[str, str], ...]]


class Text:
    """A scrape's samples, by name and labels; made only from a text without a fault."""

    def __init__(self, text: str) -> None:
        assert text.endswith("\n")
        for line in text.splitlines():
            assert _LINE.fullmatch(line), line
        self.kinds: dict[str, str] = {}
        self._samples: dict[Key, float] = {}
        for family in text_string_to_metric_families(text):
            name = family.name if family.type != "counter" else f"{family.name}_total"
            assert name not in self.kinds, f"{name} in two places"
            assert family.documentation, f"{name} without a word of help"
            self.kinds[name] = family.type
            for sample in family.samples:
                key = (sample.name, tuple(sorted(sample.labels.items())))
                assert key not in self._samples, f"{key} twice"
                self._samples[key] = sample.value
        for name, kind in self.kinds.items():
            if kind == "histogram":
                self._check_histogram(name)

    def __call__(self, name: str, **labels: str) -> float:
        return self._samples[name, tuple(sorted(labels.items()))]

    def counts(self) -> dict[Key, float]:
        """Everything that may never fall."""
        rising = {name for name, kind in self.kinds.items() if kind == "counter"}
        rising |= {f"{name}{end}" for name, kind in self.kinds.items() if kind == "histogram" for end in _ENDS}
        return {key: value for key, value in self._samples.items() if key[0] in rising}

    def _check_histogram(self, name: str) -> None:
        series: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
        for (sample, labels), value in self._samples.items():
            if sample == f"{name}_bucket":
                rest = tuple(pair for pair in labels if pair[0] != "le")
                series.setdefault(rest, []).append((float(dict(labels)["le"]), value))
        for rest, buckets in series.items():
            assert buckets == sorted(buckets), f"{name}: buckets out of order"
            assert buckets[-1] == (math.inf, self._samples[f"{name}_count", rest])
            assert [count for _, count in buckets] == sorted(count for _, count in buckets), f"{name}: not cumulated"
            assert self._samples[f"{name}_sum", rest] >= 0


_ENDS = ("_bucket", "_sum", "_count")
