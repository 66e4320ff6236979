"""Which settings does the program never read? Found in its source: a setting is read by name, from a value of its kind.

A value's kind is known by an annotation (`settings: TelnetSettings`), by its section (`config.telnet`), by the question
for it (`config.of(WebSettings)`) and by what it was assigned from. Who is given one as a `Protocol` reads what that
names. A check of the value when the file is read, in
`__post_init__`, makes no use of it.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ALL = "CommonSections"
"""The class whose fields are the sections by name."""
GAMES = "TableSettings"
"""What each of `config.games` is."""


def _fields(node: ast.ClassDef) -> dict[str, str]:
    """Return a class's own fields, each with its annotation."""
    found = {}
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            annotation = ast.unparse(one.annotation)
            if not annotation.startswith("ClassVar"):
                found[one.target.id] = annotation
    return found


class Settings:
    """The kinds of sections, and who reads their settings."""

    def __init__(self, *packages: Path) -> None:
        self._modules = [ast.parse(file.read_text()) for package in packages for file in package.rglob("*.py")]
        classes = [node for module in self._modules for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
        self._kinds = {"Section": ""}
        """Each kind, with the one that it extends."""
        self._own: dict[str, dict[str, str]] = {"Section": {}}
        for _ in range(3):  # a kind may extend one that comes later
            for node in classes:
                for base in node.bases:
                    if isinstance(base, ast.Name) and base.id in self._kinds and node.name != base.id:
                        self._kinds[node.name], self._own[node.name] = base.id, _fields(node)
        self._sections = self._own[ALL]
        self._classes = [node for node in classes if node.name in self._kinds]
        protocols = {
            node.name: [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
            for node in classes
            if "Protocol" in map(ast.unparse, node.bases)
        }
        functions = (node for module in self._modules for node in module.body if isinstance(node, ast.FunctionDef))
        self._taken = {
            node.name: [protocols.get(ast.unparse(one.annotation or one), []) for one in node.args.args]
            for node in functions
        }
        """By function: of each argument the names that it reads by a protocol."""

    def unread(self) -> list[str]:
        """Return the settings that nobody reads, by kind and name."""
        read = {one for module in self._modules for one in self._read_in(module)}
        read |= {one for node in self._classes for one in self._read_by_itself(node)}
        settings = {
            self._setting(kind, name) for kind, own in self._own.items() if kind not in {ALL, "Config"} for name in own
        }
        return sorted(settings - read)

    def _setting(self, kind: str, name: str) -> str:
        """Return a setting by the first kind that defines it; others may have another default. Empty: there is none."""
        kinds = []
        while kind:
            kinds.append(kind)
            kind = self._kinds[kind]
        return next((f"{one}.{name}" for one in reversed(kinds) if name in self._own[one]), "")

    def _read_by_itself(self, node: ast.ClassDef) -> Iterator[str]:
        for function in node.body:
            if isinstance(function, ast.FunctionDef) and function.name != "__post_init__":
                for one in ast.walk(function):
                    if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self":
                        yield self._setting(node.name, one.attr)

    def _read_in(self, module: ast.Module) -> Iterator[str]:
        known: defaultdict[str, set[str]] = defaultdict(set)
        nodes = list(ast.walk(module))
        for _ in range(2):  # what a value was assigned from may come later
            for node in nodes:
                self._learn(node, known)
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                for kind in self._kinds_of(node.value, known):
                    yield self._setting(kind, node.attr)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for given, names in zip(node.args, self._taken.get(node.func.id, []), strict=False):
                    for kind in self._kinds_of(given, known):
                        yield from (self._setting(kind, name) for name in names)

    def _learn(self, node: ast.AST, known: defaultdict[str, set[str]]) -> None:
        """Add what this node says of the kind of names."""
        match node:
            case ast.arg(arg=name, annotation=ast.Name(id=kind)) if kind in self._kinds:
                known[name].add(kind)
            case ast.AnnAssign(target=target, annotation=ast.Name(id=kind)) if kind in self._kinds:
                known[_name(target)].add(kind)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=True):
                    known[_name(target)] |= self._kinds_of(value, known)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    known[_name(target)] |= self._kinds_of(value, known)
            case ast.comprehension(target=target, iter=ast.Attribute(attr="games")):
                known[_name(target)].add(GAMES)
            case ast.Call(func=ast.Name(id="isinstance"), args=[one, ast.Name(id=kind)]) if kind in self._kinds:
                known[_name(one)].add(kind)
            case _:
                pass

    def _kinds_of(self, node: ast.expr, known: defaultdict[str, set[str]]) -> set[str]:
        match node:
            case ast.Call(func=ast.Attribute(attr="of"), args=[ast.Name(id=kind)]) if kind in self._kinds:
                return {kind}
            case ast.Attribute(attr=name) if name in self._sections:
                return {self._sections[name]}
            case ast.Attribute() | ast.Name():
                return known[_name(node)]
            case _:
                return set()


def _name(node: ast.expr) -> str:
    """Return the name that a value is held by, without its owner's; empty: it is held by none."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
