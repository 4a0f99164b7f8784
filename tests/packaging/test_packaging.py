"""What is handed on beside the wheel: the release archive, the definition of an Apptainer image, the recipe for Spack.

    python3 -m unittest discover --start-directory tests/packaging

Neither Apptainer nor Spack is needed: their files are held to what can be known without them. Where Spack is installed, it
looks at its recipe itself.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from command import REPOSITORY

DEFINITION = REPOSITORY / "packaging/turnwise.def"
RECIPE = REPOSITORY / "packaging/spack_repo/turnwise/packages/turnwise/package.py"
# A few points of the demo: all of its networks, routings and patterns.
DEMO = ["studies/demo.toml", "--set", "sweep.traffic.load=[0.02]", "--set", "simulation.measure_cycles=300"]


def run(*words, **options):
    """What a program prints; it must end well."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def is_built():
    return (Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "release/turnwise").exists()


def definition():
    """The header and the sections of the Apptainer definition."""
    text = re.sub(r"^#.*\n", "", DEFINITION.read_text(), flags=re.MULTILINE)
    header, *sections = re.split(r"^%(\w+)\n", text, flags=re.MULTILINE)
    return header, dict(zip(sections[::2], sections[1::2], strict=True))


@unittest.skipUnless(is_built(), "there is no release build")
class Archive(unittest.TestCase):
    """The release archive, unpacked somewhere else."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        archives = [run(REPOSITORY / "scripts/archive.sh", cls.folder / name).strip() for name in ("one", "two")]
        cls.archive, cls.other = map(Path, archives)
        with tarfile.open(cls.archive) as archive:
            cls.members = archive.getmembers()
            archive.extractall(cls.folder, filter="data")
        cls.root = cls.folder / cls.archive.name.removesuffix(".tar.gz")
        cls.turnwise = cls.root / "bin/turnwise"

    def test_the_same_build_makes_the_same_bytes(self):
        self.assertEqual(self.archive.read_bytes(), self.other.read_bytes())
        self.assertEqual({(member.uid, member.gid) for member in self.members}, {(0, 0)})
        self.assertEqual({member.name.split("/")[0] for member in self.members}, {self.root.name})

    def test_its_name_says_what_it_is(self):
        version = run(self.turnwise, "--version").split()[1]
        self.assertRegex(self.archive.name, rf"^turnwise-{re.escape(version)}-\w+-[\w-]+\.tar\.gz$")

    def test_its_demo_runs(self):
        said = run(self.turnwise, "run", *DEMO, "--output", self.folder / "out", cwd=self.root)
        self.assertIn("5 of 5 points simulated", said)
        self.assertTrue((self.folder / "out/report.html").read_text().startswith("<!DOCTYPE html>"))

    def test_man_and_shells_find_what_they_want(self):
        pages = {page.name for page in (self.root / "share/man/man1").iterdir()}
        self.assertLessEqual({"turnwise.1", "turnwise-run.1", "turnwise-verify.1"}, pages)
        for shell, file in {
            "bash": "bash-completion/completions/turnwise",
            "zsh": "zsh/site-functions/_turnwise",
            "fish": "fish/vendor_completions.d/turnwise.fish",
        }.items():
            completions = self.root / "share" / file
            self.assertIn("verify", completions.read_text())
            if shutil.which(shell):
                run(shell, "-n", completions)

    def test_its_documents_lead_nowhere_outside(self):
        for page in [*self.root.glob("*.md"), *self.root.glob("docs/*.md")]:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
                # Sources are for those who have the repository.
                if not target.startswith(("crates/", "../crates/", "../tests/", "tests/")):
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            self.assertEqual((self.root / name).read_text(), (REPOSITORY / name).read_text())

    def test_the_image_of_apptainer_passes_its_own_test(self):
        _, sections = definition()
        inside = str(self.root)
        script = sections["environment"] + sections["test"]
        said = run("sh", "-c", script.replace("/opt/turnwise", inside), env={"PATH": "/usr/bin:/bin"})
        self.assertIn("deadlock-free", said)


class Apptainer(unittest.TestCase):
    """The definition of an image, as far as it can be read without Apptainer."""

    def test_its_sections_are_known_and_its_scripts_are_scripts(self):
        header, sections = definition()
        self.assertEqual(re.findall(r"^(\w+):", header, re.MULTILINE), ["Bootstrap", "From"])
        self.assertEqual(list(sections), ["files", "post", "environment", "runscript", "test", "labels", "help"])
        for name in ("post", "environment", "runscript", "test"):
            run("sh", "-n", "-c", sections[name])
        # What is to be packed has to be said, as the comment shows.
        self.assertEqual(re.findall(r"\{\{ (\w+) \}\}", header + "".join(sections.values())), ["archive"])
        self.assertIn("--build-arg archive=target/dist/turnwise-", DEFINITION.read_text())


class Spack(unittest.TestCase):
    """The recipe for Spack."""

    def test_it_says_what_the_workspace_says(self):
        said = []

        def directive(name):
            return lambda *words, **options: said.append((name, *words))

        modules = {
            "spack": {},
            "spack.package": {
                **{name: directive(name) for name in ("version", "license", "depends_on")},
                "run_after": lambda phase: lambda method: method,
            },
            "spack_repo.builtin.build_systems.cargo": {"CargoPackage": type("CargoPackage", (), {})},
            "spack_repo": {}, "spack_repo.builtin": {}, "spack_repo.builtin.build_systems": {},
        }
        for name, contents in modules.items():
            module = types.ModuleType(name)
            vars(module).update(contents)
            sys.modules[name] = module
            self.addCleanup(sys.modules.pop, name)
        recipe = {"__file__": str(RECIPE)}
        exec(compile(RECIPE.read_text(), RECIPE, "exec"), recipe)
        manifest = (REPOSITORY / "Cargo.toml").read_text()
        rust = re.search(r'^rust-version = "(.*)"', manifest, re.MULTILINE)[1]
        terms = re.search(r'^license = "(.*)"', manifest, re.MULTILINE)[1]
        self.assertIn(("depends_on", f"rust@{rust}:"), said)
        self.assertIn(("license", terms), said)
        self.assertEqual(recipe["Turnwise"].git, REPOSITORY.as_uri())

    @unittest.skipUnless(shutil.which("spack"), "Spack is not installed")
    def test_spack_has_nothing_to_say_against_it(self):
        run("spack", "style", "--root", REPOSITORY, RECIPE)
        run("spack", "--config", f"repos:turnwise:{RECIPE.parents[2]}", "audit", "packages", "turnwise")


if __name__ == "__main__":
    unittest.main()
