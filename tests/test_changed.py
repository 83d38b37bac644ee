"""What `scripts/check --changed` runs, on a small checkout."""

import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

SCRIPT: Final = Path(__file__).parents[1] / "scripts" / "changed.py"

FILES: Final = {
    "README.md": "",
    "docs/page.md": "",
    "src/topoview/__init__.py": "",
    "src/topoview/cli/__init__.py": "",
    "src/topoview/cli/info.py": "",
    "src/topoview/io/__init__.py": "",
    "src/topoview/io/decoder/__init__.py": "",
    "src/topoview/io/decoder/decoder.c": "",
    "src/topoview/io/decoder/library.py": "",
    "src/topoview/scene/__init__.py": "",
    "src/topoview/scene/camera.py": "",
    "src/topoview/scene/edges.py": "",
    "src/topoview/ui/__init__.py": "",
    "src/topoview/ui/view.py": "from topoview.scene.camera import Pose",
    "tests/conftest.py": "import traces",
    "tests/io/test_decoder.py": "from topoview.io.decoder.library import load",
    "tests/io/test_writer.py": "from writer import write_trace",
    "tests/scene/test_camera.py": "import topoview.scene.camera",
    "tests/scene/test_edges.py": "from topoview.scene.edges import EdgePaths",
    "tests/test_command_line.py": "from topoview.__main__ import main",
    "tests/test_docs.py": "",
    "tests/test_kernel_constants.py": "",
    "tests/traces.py": "",
    "tests/ui/test_view.py": "from topoview.ui.view import SceneView",
    "tests/writer/__init__.py": "from writer.write import write_trace",
    "tests/writer/write.py": "",
}


@pytest.fixture
def changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the script, of another checkout."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    spec = spec_from_file_location("changed", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    monkeypatch.setattr(loaded, "ROOT", tmp_path)
    return loaded


def test_tests_of_what_changed(changed: ModuleType) -> None:
    docs = ["tests/test_docs.py", "tests/test_kernel_constants.py"]
    for files, chosen in {
        (): [],
        ("tests/ui/test_view.py",): ["tests/ui/test_view.py"],
        ("tests/ui/test_gone.py",): [],
        # helpers of tests, by who uses them
        ("tests/writer/write.py",): ["tests/io/test_writer.py"],
        # a module, by who imports it and what is around it; not what lies beside
        ("src/topoview/scene/edges.py",): ["tests/scene/test_edges.py"],
        ("src/topoview/scene/camera.py",): [
            "tests/scene/test_camera.py",
            "tests/ui/test_view.py",
        ],
        ("src/topoview/io/decoder/decoder.c",): ["tests/io/test_decoder.py"],
        ("src/topoview/cli/info.py",): ["tests/test_command_line.py"],
        ("docs/page.md",): docs,
        ("README.md", "src/topoview/scene/edges.py"): [
            "tests/scene/test_edges.py",
            "tests/test_docs.py",
        ],
        # what every test depends on
        ("docs/page.md", "tests/traces.py"): ["tests"],
        ("pyproject.toml",): ["tests"],
    }.items():
        assert changed.tests_of(files) == chosen, files


def test_what_all_tests_depend_on_is_there(changed: ModuleType) -> None:
    """Else a change of it chooses nothing once it has another name."""
    for name in (*changed.ALL, *changed.READERS):
        assert (SCRIPT.parents[1] / name).exists(), name


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_what_differs_from_where_the_branch_began(changed: ModuleType) -> None:
    """Committed, in the work tree, or new; not what came to the other branch."""
    root = changed.ROOT

    def git(*words: str) -> None:
        person = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")
        subprocess.run(
            ["git", *person, *words], cwd=root, check=True, capture_output=True
        )

    def commit(name: str) -> None:
        (root / name).write_text("# changed\n")
        git("add", ".")
        git("commit", "-m", name)

    git("init", "--initial-branch=main")
    commit("README.md")
    git("checkout", "-b", "branch")
    commit("src/topoview/scene/edges.py")
    (root / "tests/traces.py").write_text("# changed\n")
    (root / "tests/test_new.py").write_text("")
    git("stash", "--include-untracked")
    git("checkout", "main")
    commit("docs/page.md")
    git("checkout", "branch")
    git("stash", "pop")
    assert changed.changed_files("main") == [
        "src/topoview/scene/edges.py",
        "tests/test_new.py",
        "tests/traces.py",
    ]
