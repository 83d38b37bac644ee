"""Print the test files of what changed, for ``scripts/check --changed``.

Run: ``python scripts/changed.py [BASE]``. What differs from where this branch left
BASE (``main``) counts, committed or not, new files too. A test file is printed if

- it changed, or a module of the tests did that it imports, also by others;
- it imports something of the folder of topoview where a module changed, or a module
  that imports the changed one;
- it runs commands, and one of `cli` changed; or it reads pages, and one changed.

What tests use of topoview only by way of `tests/traces.py` and the like does not count:
nearly all read a trace. So this finds most faults soon; ``scripts/check`` finds the
others. ``tests`` is printed if something changed that every test uses.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

ALL: Final = (
    "pyproject.toml",
    "constraints.txt",
    "tests/conftest.py",
    "tests/kernel_builds.py",
    "tests/startup/sitecustomize.py",
    "tests/traces.py",
)
"""Files that all tests depend on."""

READERS: Final = {
    "docs": ("tests/test_docs.py", "tests/test_kernel_constants.py"),
    "README.md": ("tests/test_docs.py",),
    "mkdocs.yml": ("tests/test_docs.py",),
    "resources": ("tests/test_text.py", "tests/test_desktop.py", "tests/test_docs.py"),
    "packaging": ("tests/test_packaging.py",),
    "scripts": (
        "tests/test_changed.py",
        "tests/test_docs.py",
        "tests/test_text.py",
        "tests/test_packaging.py",
    ),
}
"""Tests of what is no Python of topoview, by file or folder."""


def changed_files(base: str) -> list[str]:
    """Return the files that differ from where this branch left another."""
    left = _git("merge-base", "HEAD", base)[0]
    new = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*_git("diff", "--name-only", left), *new})


def _git(*words: str) -> list[str]:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def tests_of(files: Iterable[str]) -> list[str]:
    """Return the test files of changed files, as paths below the checkout.

    Parameters
    ----------
    files
        Paths below the checkout; they need not exist.
    """
    imports = {path: _imports(path) for path in _python("tests")}
    tests = [path for path in imports if Path(path).name.startswith("test_")]
    chosen: set[str] = set()
    touched: set[str] = set()
    for file in files:
        if file in ALL:
            return ["tests"]
        top = file.split("/", maxsplit=1)[0]
        chosen.update(READERS.get(top, ()))
        if file.startswith("tests/"):
            chosen.update(_users(file, imports))
        elif file.startswith("src/topoview/"):
            touched.update(_touched(_module(file)))
            if file.startswith(("src/topoview/cli/", "src/topoview/__main__")):
                chosen.update(path for path in tests if _runs_commands(path))
    chosen.update(path for path in tests if _names(imports[path], touched))
    return sorted(path for path in chosen if (ROOT / path).exists())


@cache
def _python(top: str) -> tuple[str, ...]:
    return tuple(
        str(path.relative_to(ROOT)) for path in sorted((ROOT / top).rglob("*.py"))
    )


@cache
def _imports(path: str) -> frozenset[str]:
    """Return the modules that a file imports, and what it imports from them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _module(file: str) -> str:
    """Return the module of a source; what is no Python belongs to its package."""
    path = Path(file).relative_to("src")
    if path.suffix not in {".py", ".pxd"}:
        while not (ROOT / "src" / path / "__init__.py").exists():
            path = path.parent
        return ".".join(path.parts)
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _touched(module: str) -> Iterator[str]:
    """Yield the folder of a module, or itself if that is a whole room; who uses it."""
    folder = module.rpartition(".")[0]
    yield folder if folder.count(".") > 1 else module
    for path in _python("src/topoview"):
        if module in _imports(path):
            yield _module(path)


def _names(imported: frozenset[str], modules: Iterable[str]) -> bool:
    """Return whether one of some modules is imported, or something of it."""
    return any(
        name == module or name.startswith(f"{module}.")
        for name in imported
        for module in modules
    )


def _users(file: str, imports: dict[str, frozenset[str]]) -> Iterator[str]:
    """Yield the tests that use a file of the tests, and that file if it is one."""
    left, seen = [file], set()
    while left:
        user = left.pop()
        if user in seen:
            continue
        seen.add(user)
        if Path(user).name.startswith("test_"):
            yield user
            continue
        # tests/writer/regions.py: `writer.regions`, of `writer`, `regions` beside it
        parts = Path(user).with_suffix("").parts[1:]
        names = [".".join(parts), parts[0], parts[-1]]
        left.extend(path for path in imports if _names(imports[path], names))


def _runs_commands(path: str) -> bool:
    text = (ROOT / path).read_text(encoding="utf-8")
    return '"topoview"' in text or "topoview.__main__" in text


if __name__ == "__main__":
    print(*tests_of(changed_files(*(sys.argv[1:] or ["main"]))), sep="\n")
