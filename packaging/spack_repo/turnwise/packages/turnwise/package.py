# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Spack's recipe: builds the command from the checkout that this file lies in.

    spack repo add packaging/spack_repo/turnwise
    spack install turnwise
"""

from pathlib import Path

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Turnwise(CargoPackage):
    """Designs, proves and simulates routing for HPC interconnects."""

    git = Path(__file__).resolve().parents[5].as_uri()

    license("Apache-2.0 OR MIT")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")

    build_args = ["--locked"]

    @property
    def build_directory(self):
        return join_path(self.stage.source_path, "crates", "turnwise")

    def setup_build_environment(self, env):
        # Symbols for debuggers are larger than everything else.
        env.set("CARGO_PROFILE_RELEASE_STRIP", "debuginfo")

    @run_after("install")
    def install_share(self):
        share = Executable(join_path(self.stage.source_path, "scripts", "share.sh"))
        share(self.prefix.bin.turnwise, self.prefix)

    def test_proof(self):
        """a torus is proved free of deadlock"""
        tables = ["network={kind='torus',sizes=[4,4]}", "routing={kind='dimension-order'}"]
        turnwise = Executable(self.prefix.bin.turnwise)
        turnwise("verify", "/dev/null", *(f"--set={table}" for table in tables))
