# Recipe for Spack: spack repo add packaging/spack && spack install skelgen. It builds the branch main of the clone that this file is in.
from pathlib import Path

from spack.package import *


class Skelgen(CMakePackage):
    """Performance skeletons of MPI programs: traces a run, folds it, and emits a small C program that makes the same MPI calls and
    predicts the run time on another machine."""

    git = Path(__file__).resolve().parents[4].as_uri()

    license("Apache-2.0")
    version("main", branch="main")

    variant("papi", default=False, description="Read PAPI counters")
    variant("valgrind", default=False, description="Profile what computation consists of, with a tool of Valgrind")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("mpi", type=("build", "link", "run"))
    depends_on("gmake", type="run")
    depends_on("fmt@9:")
    depends_on("nlohmann-json")
    depends_on("cli11@2:")
    depends_on("boost@1.74:")
    depends_on("xxhash")
    depends_on("kainjow-mustache", type="build")
    depends_on("papi", when="+papi")
    depends_on("valgrind@3.19:", when="+valgrind")

    def cmake_args(self):
        return [self.define("SKELGEN_TESTS", False)]
