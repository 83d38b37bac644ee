"""Where the program's resources lie: icons, fonts, the sample trace."""

from pathlib import Path


def resource(*parts: str) -> Path:
    """Path of a resource, in an installed package or in a source tree."""
    installed = Path(__file__).parent / "resources"
    root = installed if installed.is_dir() else Path(__file__).parents[2] / "resources"
    return root.joinpath(*parts)


def demo_trace() -> Path:
    """Path of the sample trace, an archive: an idle wave crosses a torus."""
    return resource("demo", "demo.tar.xz")
