"""A recipe of Spack: copy it to ``packages/py-topoview/package.py`` of a repository.

``spack install py-topoview`` brings the commands, ``+window`` what draws, ``+cluster``
workers of Dask, ``+tables`` data frames and Parquet files.
"""

from spack.package import *  # noqa: F403 - as all recipes do
from spack_repo.builtin.build_systems.python import PythonPackage


class PyTopoview(PythonPackage):
    """Communication topology and waits of MPI programs, from their OTF2 traces."""

    # the source distribution that packaging/build makes, in a mirror of the site:
    # spack mirror create, or file://$PWD beside this recipe
    url = "file:///path/to/topoview-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("window", default=False, description="The window, pictures and films")
    variant("cluster", default=False, description="Workers of Dask")
    variant("tables", default=False, description="Data frames and Parquet files")

    depends_on("c", type="build")
    depends_on("python@3.11:", type=("build", "link", "run"))
    depends_on("py-hatchling@1.28:", type="build")
    depends_on("py-cython@3.3:", type="build")

    with_run = ("build", "run")
    depends_on("py-jinja2@3.1:", type=with_run)
    depends_on("py-backports-zstd@1:", type=with_run, when="^python@:3.13")
    depends_on("py-networkx@3.4:", type=with_run)
    depends_on("py-numpy@2.1:", type=with_run)
    depends_on("py-platformdirs@4.3:", type=with_run)
    depends_on("py-scipy@1.15:", type=with_run)

    depends_on("py-pyside6@6.8:6.11", type=with_run, when="+window")
    depends_on("py-pillow@11:", type=with_run, when="+window")
    depends_on("py-pyvista@0.46:", type=with_run, when="+window")
    depends_on("vtk@9.5: +python", type=with_run, when="+window")
    depends_on("ffmpeg", type="run", when="+window")

    depends_on("py-dask@2025.1:", type=with_run, when="+cluster")
    depends_on("py-distributed@2025.1:", type=with_run, when="+cluster")
    depends_on("py-pandas@2.2:", type=with_run, when="+tables")
    depends_on("py-pyarrow@17:", type=with_run, when="+tables")

    import_modules = ("topoview",)

    @run_after("install")
    def check_install(self) -> None:
        """See that the commands start."""
        which(self.prefix.bin.topoview, required=True)("--version")
