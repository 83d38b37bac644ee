"""Compiles the decoder into wheels: one for each platform, for all Pythons.

An editable installation has it in place, in the source tree.
"""

import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "topoview/io/decoder"


class DecoderHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the decoder before a wheel is put together."""

    PLUGIN_NAME = "decoder"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it; say where it goes in the wheel, and for what that is."""
        source = Path(self.root) / "src" / FOLDER
        build = runpy.run_path(str(source / "build.py"))["build"]
        library = build()
        if version != "editable":
            build_data["force_include"][str(library)] = f"{FOLDER}/{library.name}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
