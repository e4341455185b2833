"""Charts of a page as a browser gets them: the specification, and each table that it names."""

import io
import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from streamlit.testing.v1 import AppTest


@dataclass(frozen=True)
class DrawnChart:
    """The Vega-Lite specification of a chart, and the rows of its named tables."""

    spec: dict[str, Any]
    tables: dict[str, list[dict[str, Any]]]

    def fixed_layers(self) -> list[dict[str, Any]]:
        """Return the layers that are not drawn of the chart's rows; the table of each must have a row."""
        layers = [layer for layer in self.spec["layer"] if "data" in layer]
        for layer in layers:
            assert len(self.tables[layer["data"]["name"]]) == 1
        return layers


def charts_of(shown: AppTest) -> list[DrawnChart]:
    """Return the charts of the page, none of whose tables is missing."""
    found = []
    for element in shown.get("vega_lite_chart") or shown.get("arrow_vega_lite_chart"):
        spec = json.loads(element.proto.spec)
        tables = {
            one.name: pa.ipc.open_stream(io.BytesIO(one.data.data)).read_all().to_pylist()
            for one in element.proto.datasets
        }
        assert tables["rows"]
        assert "var(--" not in element.proto.spec
        found.append(DrawnChart(spec, tables))
    return found
