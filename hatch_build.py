"""Compiles decoder and kernels into wheels: one a platform, for Pythons from 3.11 on.

An editable installation has them in place, in the source tree. A wheel gets a bill of
materials, too.
"""

import runpy
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles what has to be before a wheel is put together."""

    PLUGIN_NAME = "compiled"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it; say where it goes in the wheel, and for what that is."""
        root = Path(self.root)
        source = root / "src"
        if version != "editable":
            notices = runpy.run_path(str(root / "packaging" / "notices.py"))
            bill = root / "build" / "topoview.cdx.json"
            bill.parent.mkdir(exist_ok=True)
            bill.write_text(notices["bill"](self.metadata.version), "utf-8")
            build_data["sbom_files"].append(str(bill.relative_to(root)))
        for made in runpy.run_path(str(source / "topoview" / "build.py"))["build"]():
            build_data["artifacts"].append(str(made.relative_to(self.root)))
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        free_threaded = sysconfig.get_config_var("Py_GIL_DISABLED")
        abi = f"{python}-{python}t" if free_threaded else "cp311-abi3"
        build_data["tag"] = f"{abi}-{platform}"
        build_data["pure_python"] = False
