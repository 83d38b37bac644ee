"""Where the program's resources lie: icons, fonts, desktop and MIME files."""

from pathlib import Path


def resource(*parts: str) -> Path:
    """Path of a resource, in an installed package or in a source tree."""
    installed = Path(__file__).parent / "resources"
    root = installed if installed.is_dir() else Path(__file__).parents[2] / "resources"
    return root.joinpath(*parts)
