"""Write what the page knows of the API from the API: `schema.d.ts`, `fields.json` and `presets.json` in `src/api`.

Run it after a change of the API, from anywhere: `.venv/bin/python web/scripts/generate.py`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from servelab.server.app import create_app
from servelab.server.starters import Presets
from servelab.specs.fields import as_json
from servelab.specs.presets import PRESETS
from servelab.specs.profiles import AUTO, TEXTBOOK

WEB = Path(__file__).resolve().parents[1]
NPM = (sys.executable, str(WEB.parent / "hatch_build.py"), "npm")
#: Names from the catalogue; not on the page; or no single number, name or switch.
LEFT_OUT = {"model", "accelerator", "engine", "prompt", "output", "bursts", "rates"}
NOT_SET = {"deployment", "device_memory_bytes"}  # of an engine's start: what it is started on
KEPT = ("type", "description", "default", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def rule(schema: dict[str, Any]) -> dict[str, Any]:
    """One field, flattened: `anyOf [X, null]` becomes X with `nullable` and the default null."""
    choices = schema.get("anyOf", [schema])
    nullable = {"type": "null"} in choices
    merged = next(choice for choice in choices if choice != {"type": "null"}) | schema
    flat = {key: whole(merged[key]) for key in KEPT if key in merged}
    if "enum" in flat:
        flat["options"] = flat.pop("enum")
    if nullable:
        flat = flat | {"nullable": True} | {"default": flat.get("default")}
    return flat


def whole(value: Any) -> Any:
    """1.0 as 1: JSON has one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def fields(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Defaults, bounds, options and descriptions of the fields that the page has controls for."""
    schemas = document["components"]["schemas"]

    def owner(name: str) -> dict[str, Any]:
        return schemas.get(f"{name}-Input", schemas.get(name))["properties"]

    targets = {name: schema for name, schema in owner("SimulateRequest").items() if name.endswith("_target_s")}
    start = {name: schema for name, schema in owner("MemoryRequest").items() if name not in NOT_SET}
    owners = {
        "deployment": owner("Deployment"),
        "workload": owner("Workload"),
        "traffic": owner("Arrivals"),
        "scheduler": owner("Scheduler"),
        "targets": targets,
    }
    kept = {
        name: {field: rule(schema) for field, schema in properties.items() if field not in LEFT_OUT}
        for name, properties in owners.items()
    }
    kept["deployment"]["profile"]["options"] = [TEXTBOOK, AUTO]  # of one's own only where it is given as fields
    return kept | {"engine": {field: rule(schema) for field, schema in start.items()}}


def write(document: dict[str, Any], target: Path) -> None:
    """All three files, into `target`."""
    for name, data in (("fields", fields(document)), ("presets", json.loads(as_json(Presets(PRESETS))))):
        text = json.dumps(data, indent=2, ensure_ascii=False)
        (target / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "openapi.json"
        source.write_text(json.dumps(document), encoding="utf-8")
        output = target / "schema.d.ts"
        generator = ("exec", "--no", "--", "openapi-typescript", "--default-non-nullable=false")
        subprocess.run([*NPM, *generator, str(source), "-o", str(output)], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=WEB / "src" / "api", help="the folder to write to")
    write(create_app().openapi(), parser.parse_args().into.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
