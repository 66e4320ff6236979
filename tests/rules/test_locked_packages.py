"""The locks fit what pyproject.toml asks for, and are what these tests run with."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

SOURCE = Path(__file__).parents[2]
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
WANTED = {
    "build": PROJECT["dependency-groups"]["build"],
    "release": PROJECT["dependency-groups"]["release"],
    "run": PROJECT["project"]["dependencies"],
    "cluster": PROJECT["project"]["dependencies"] + EXTRAS["cluster"],
    "dev": PROJECT["project"]["dependencies"] + EXTRAS["dev"],
    "bench": PROJECT["project"]["dependencies"] + EXTRAS["dev"] + EXTRAS["bench"],
    "fuzz": PROJECT["project"]["dependencies"] + EXTRAS["dev"] + EXTRAS["fuzz"],
}


def locked(name: str) -> dict[str, tuple[Requirement, int]]:
    """Return each package of a lock by name: its requirement, and the number of its hashes."""
    text = (SOURCE / "locks" / f"{name}.txt").read_text()
    entries = [line for line in text.replace("\\\n", "").splitlines() if not line.startswith("#")]
    found: dict[str, tuple[Requirement, int]] = {}
    for entry in entries:
        requirement = Requirement(entry.split(" --hash", 1)[0])
        found[canonicalize_name(requirement.name)] = (requirement, entry.count("--hash=sha256:"))
    return found


def pinned(requirement: Requirement) -> str:
    """Return the one version that a locked requirement allows."""
    (specifier,) = requirement.specifier
    assert specifier.operator == "==", requirement
    return specifier.version


@pytest.mark.parametrize("name", WANTED)
def test_a_lock_has_all_that_is_asked_for(name: str) -> None:
    lock = locked(name)
    for wanted in map(Requirement, WANTED[name]):
        requirement, _ = lock[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(pinned(requirement)), f"`make locks`: {wanted} in locks/{name}.txt"


@pytest.mark.parametrize("name", WANTED)
def test_every_package_of_a_lock_has_hashes(name: str) -> None:
    assert all(hashes for _, hashes in locked(name).values())


def test_a_larger_lock_has_the_versions_of_the_smaller_one() -> None:
    for smaller, larger in (("run", "cluster"), ("cluster", "dev"), ("dev", "bench"), ("dev", "fuzz")):
        theirs = locked(larger)
        for name, (requirement, _) in locked(smaller).items():
            assert pinned(theirs[name][0]) == pinned(requirement), f"{name} in {larger}"


def test_the_present_environment_is_the_locked_one() -> None:
    here = {name: (pinned(requirement), version(name)) for name, (requirement, _) in locked("run").items()}
    assert all(wanted == found for wanted, found in here.values()), here
