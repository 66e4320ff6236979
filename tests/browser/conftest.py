"""A BBS with a door for browsers, and a browser; without chromium the tests are skipped."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from selenium.webdriver import Chrome

from tests.browser.browser import PHONE, browser, new_tab, the_browser_is_missing
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.ports import free_port

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a browser where there is none; keep browsers on one worker, they are heavy."""
    missing = the_browser_is_missing()
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"{missing} not installed (Debian: chromium, chromium-driver)"))


def fetching() -> ModuleType:
    """Return `locks/page.py` as a module."""
    spec = importlib.util.spec_from_file_location("yawc_page", ROOT / "locks" / "page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def _xterm() -> None:
    """The page's terminal must have been fetched."""
    page = fetching()
    if not page.XTERM.is_there:
        pytest.skip("xterm.js was not fetched: make page")


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    package = fetching().AXE
    if not package.is_there:
        pytest.skip("axe-core was not fetched: python locks/page.py --tests")
    return str((package.folder / "axe.min.js").read_text())


@pytest.fixture
def web_bbs(_xterm: None, tmp_path: Path) -> Iterator[WebBbs]:
    """A BBS on fast clocks that browsers can call; at the end it must stop cleanly and its books be sound."""
    with WebBbs(tmp_path / "data", FAST + web_config(), web_port=free_port()) as running:
        yield running
        running.is_sound()


@pytest.fixture(scope="session")
def chrome() -> Iterator[Chrome]:
    """One browser for all tests: it takes longer to start than most of them."""
    with browser() as driver:
        yield driver


@pytest.fixture
def desktop(chrome: Chrome) -> Iterator[Chrome]:
    """A browser on a desktop, in the dark."""
    with new_tab(chrome) as driver:
        yield driver


@pytest.fixture
def phone(chrome: Chrome) -> Iterator[Chrome]:
    """A browser on a phone in portrait."""
    with new_tab(chrome, PHONE) as driver:
        yield driver
