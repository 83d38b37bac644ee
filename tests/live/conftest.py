"""Real archives as plain loops read them, each once."""

import functools
from collections.abc import Callable

import pytest
from plain_events import Plain, through_library, through_package


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Plain]:
    @functools.cache
    def read(name: str) -> Plain:
        if name.startswith("ez-"):
            return through_library(name)
        return through_package(name, tmp_path_factory.mktemp("plain"))

    return read
