"""The files of the browser's page: nothing inline, each name is there, each text in all languages; and their fetch."""

import importlib.util
import re
import tarfile
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from yawc_poker.words import LANGUAGES

NEEDS = "telnetd.extras.web"

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "telnetd" / "extras" / "web" / "page"
MODULES = sorted(PAGE.glob("*.js"))
INDEX = (PAGE / "index.html").read_text()
CODE = {path.name: path.read_text() for path in MODULES}


class Elements(HTMLParser):
    """All elements of a document, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


ELEMENTS = Elements(INDEX).found


def texts(language: str) -> dict[str, str]:
    """The page's words of a language, each with its text."""
    block = re.search(rf"^  {language}: \{{\n(.*?)^  \}},$", CODE["texts.js"], re.MULTILINE | re.DOTALL)
    assert block is not None
    return dict(re.findall(r'^    (\w+):\s+((?:"[^"\n]*"\s*\+?\s*)+),$', block[1], re.MULTILINE))


def test_nothing_is_inline() -> None:
    """As the Content-Security-Policy wants it."""
    for tag, attributes in ELEMENTS:
        assert not {name for name in attributes if name.startswith("on") or name == "style"}, tag
        assert tag != "style"
        assert tag != "script" or attributes.get("src")
    assert not re.search(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write", str(CODE))
    assert "document.cookie" not in str(CODE)


def test_nothing_comes_from_elsewhere() -> None:
    addresses = re.findall(r"https?://[^\s\"')]+", INDEX + "".join(CODE.values()) + (PAGE / "style.css").read_text())
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}  # a name, which nobody fetches


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.name))
def test_modules_that_are_imported_exist(module: Path) -> None:
    for name in re.findall(r'(?:from|import)\s*\(?"(\./[^"]+)"', CODE[module.name]):
        assert name.startswith("./vendor/") or (PAGE / name).is_file(), name
    assert len(CODE[module.name].splitlines()) <= 350


def test_every_element_that_is_sought_exists() -> None:
    ids = {attributes["id"] for _, attributes in ELEMENTS if "id" in attributes}
    sought = set(re.findall(r'\b(?:find|part)\("([\w-]+)"\)', "".join(CODE.values())))
    clicks = re.search(r"const CLICKS = \{(.*?)^\};", CODE["app.js"], re.MULTILINE | re.DOTALL)
    assert clicks is not None
    sought |= set(re.findall(r'^  "?([\w-]+)"?: \(', clicks[1], re.MULTILINE))
    assert len(sought) > 20
    assert sought - ids == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_in_every_language(language: str) -> None:
    english, own = texts("en"), texts(language)
    assert list(own) == list(english)
    fields = re.compile(r"\{\w+\}")
    for key, text in own.items():
        assert sorted(fields.findall(text)) == sorted(fields.findall(english[key])), key
    used = {attributes[name] for _, attributes in ELEMENTS for name in attributes if name.startswith("data-words")}
    used |= set(re.findall(r'\btext\("(\w+)"', "".join(CODE.values())))
    assert len(used) > 20
    assert used - set(own) == set()


# --- the fetch --------------------------------------------------------------------------------------------------------


@pytest.fixture
def fetching() -> ModuleType:
    spec = importlib.util.spec_from_file_location("yawc_page_tested", ROOT / "locks" / "page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def client(folder: Path, archive: Path | None) -> Path:
    """Make a folder with an npm that packs one archive; None: it fails."""
    folder.mkdir()
    for name, action in {
        "npm": f"cp '{archive}' ." if archive else "echo 'npm error: no network' >&2; exit 1",
        "node": "exit 0",
    }.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{action}\n")
        program.chmod(0o755)
    return folder


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    source = tmp_path / "thing.js"
    source.write_text("export const thing = 1;\n")
    made = tmp_path / "thing-1.0.0.tgz"
    with tarfile.open(made, "w:gz") as members:
        members.add(source, "package/lib/thing.js")
    return made


def test_a_package_is_fetched_once_and_by_its_hash(
    fetching: ModuleType, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{client(tmp_path / 'bin', archive)}:/usr/bin:/bin")
    integrity = fetching.integrity(archive.read_bytes())
    target = tmp_path / "page"
    package = fetching.Package("thing", "1.0.0", integrity, target, {"package/lib/thing.js": "thing.js"})
    assert not package.is_there
    fetching.fetch(package)
    assert (target / "thing.js").read_text() == "export const thing = 1;\n"
    assert package.is_there
    archive.unlink()
    fetching.fetch(package)  # asks nobody
    assert not package._replace(version="1.0.1").is_there


def test_another_hash_is_refused(
    fetching: ModuleType, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{client(tmp_path / 'bin', archive)}:/usr/bin:/bin")
    target = tmp_path / "page"
    package = fetching.Package("thing", "1.0.0", "sha512-other", target, {"package/lib/thing.js": "thing.js"})
    with pytest.raises(fetching.FetchError, match="another hash"):
        fetching.fetch(package)
    assert not target.exists()


def test_without_a_network_it_says_so_in_one_line(
    fetching: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", f"{client(tmp_path / 'bin', None)}:/usr/bin:/bin")
    package = fetching.Package("thing", "1.0.0", "sha512-other", tmp_path / "page", {"a": "b"})
    monkeypatch.setattr(fetching, "PAGE", (package,))
    monkeypatch.setattr("sys.argv", ["page.py"])
    assert fetching.main() == 0
    told = "thing is not there, all else works without it (npm error: no network)\n"
    assert capsys.readouterr().err == told
    monkeypatch.setattr("sys.argv", ["page.py", "--strict"])
    assert fetching.main() == 1
