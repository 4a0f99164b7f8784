"""What is handed on: the release archive, the wheel as a file, the definition of an Apptainer image, the recipe for Spack.

    python3 -m unittest discover --start-directory tests/packaging

Neither Apptainer nor Spack is needed: their files are held to what can be known without them. Where Spack is installed, it
looks at its recipe itself.
"""

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from command import REPOSITORY

DEFINITION = REPOSITORY / "packaging/turnwise.def"
RECIPE = REPOSITORY / "packaging/spack_repo/turnwise/packages/turnwise/package.py"
PAGE = REPOSITORY / "docs/packaging.md"
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


def assert_notices(test, text):
    """That notices name what is linked in, with the texts that this asks for, and nothing of where they were written."""
    for crate in ("clap", "arrow-array", "rusqlite", "serde"):
        test.assertRegex(text, rf"(?m)^{crate} \d[\w.+-]*\n    \S.*; text \d+")
    # Apache's, MIT's, BSD's, ISC's, Unicode's and Zlib's.
    for words in (
        "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION", "Permission is hereby granted, free of charge",
        "Redistribution and use in source and binary forms", "Permission to use, copy, modify, and/or distribute",
        "UNICODE LICENSE V3", "This software is provided 'as-is'",
    ):
        test.assertIn(words, text)
    # Its own crates are under its own terms, and what only tests need is not in it.
    test.assertNotRegex(text, r"(?m)^(turnwise|proptest|trycmd)")
    for place in (REPOSITORY, Path.home()):
        test.assertNotIn(f"{place}/", text)


def wheel():
    """The wheel that was built last, for the tests of the package or to be handed on; none if there is none."""
    built = [path for folder in ("wheel", "dist") for path in (REPOSITORY / "target" / folder).glob("turnwise-*.whl")]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


@unittest.skipUnless(wheel(), "there is no wheel")
class Wheel(unittest.TestCase):
    """The wheel, as a file; tests/python has it installed."""

    @classmethod
    def setUpClass(cls):
        with zipfile.ZipFile(wheel()) as archive:
            (folder,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
            cls.about = {
                name.removeprefix(f"{folder}/"): archive.read(name).decode()
                for name in archive.namelist() if name.startswith(f"{folder}/")
            }

    def test_whose_code_is_in_it_is_said(self):
        assert_notices(self, self.about["licenses/THIRD-PARTY.txt"])
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            self.assertEqual(self.about[f"licenses/{name}"], (REPOSITORY / name).read_text())
        told = email.message_from_string(self.about["METADATA"])
        self.assertEqual(told["License-Expression"], "Apache-2.0 OR MIT")
        self.assertEqual(set(told.get_all("License-File")), {"LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"})
        self.assertIn("import turnwise", told.get_payload())

    def test_it_does_not_say_when_or_where_it_was_built(self):
        for name, text in self.about.items():
            self.assertNotIn(f"{REPOSITORY}/", text, name)
            self.assertNotIn("timestamp", text, name)


class Notices(unittest.TestCase):
    """What is said of the code of others."""

    def test_they_are_the_same_every_time(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("one", "two")]
            for file in files:
                run(sys.executable, REPOSITORY / "scripts/third_party.py", "turnwise-python", file)
            self.assertEqual(*(file.read_bytes() for file in files))
            assert_notices(self, files[0].read_text())


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

    def test_whose_code_is_in_it_is_said(self):
        assert_notices(self, (self.root / "THIRD-PARTY.txt").read_text())

    def test_nothing_in_it_needs_the_repository(self):
        # The recipe for Spack builds the repository that it lies in.
        self.assertEqual([path.name for path in (self.root / "packaging").iterdir()], ["turnwise.def"])

    def test_the_command_has_no_symbols_for_debuggers(self):
        self.assertNotIn(".debug_info", run("readelf", "--sections", "--wide", self.turnwise))

    def test_the_documented_commands_unpack_and_install_it(self):
        # The blocks of docs/packaging.md that need no other machine, one after the other, as they stand there.
        blocks = re.findall(r"^```z?sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        said = ("tar --extract", "cp -r bin", "fpath=", "objdump")
        unpack, install, startup, needs = (next(block for block in blocks if words in block) for words in said)
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            (work / "target/dist").mkdir(parents=True)
            shutil.copy(self.archive, work / "target/dist")
            # What was in the way: results of runs, and archives of other versions.
            (work / "turnwise-out").mkdir()
            (work / "target/dist/turnwise-0.0.1-other.tar.gz").write_bytes(b"none")
            os.utime(work / "target/dist/turnwise-0.0.1-other.tar.gz", (0, 0))
            (work / "home").mkdir()
            (work / "home/.zshrc").write_text(startup)
            environment = {**os.environ, "HOME": str(work / "home"), "ZDOTDIR": str(work / "home")}
            short = unpack.replace("studies/demo.toml", " ".join(f"'{word}'" for word in DEMO))
            told = run("bash", "-euc", f"{short}\n{install}\n{needs}", cwd=work, env=environment)
            self.assertRegex(told.splitlines()[-1], r"^GLIBC_2\.\d+$")
            local = work / "home/.local"
            self.assertEqual({path.name for path in local.iterdir()}, {"bin", "share"})
            self.assertTrue((local / "share/man/man1/turnwise.1").exists())
            run(local / "bin/turnwise", "--version")
            if shutil.which("zsh"):
                said = run("zsh", "-ic", "print $_comps[turnwise]", env=environment)
                self.assertEqual(said.strip(), "_turnwise")

    def test_the_image_of_apptainer_passes_its_own_test(self):
        _, sections = definition()
        inside = str(self.root)
        script = sections["environment"] + sections["test"]
        said = run("sh", "-c", script.replace("/opt/turnwise", inside), env={"PATH": "/usr/bin:/bin"})
        self.assertIn("deadlock-free", said)


class Documents(unittest.TestCase):
    """What documents say of installing."""

    def test_nobody_is_told_to_install_by_name(self):
        # There is no such package on PyPI, and whoever takes the name would be installed.
        pages = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), *REPOSITORY.glob("crates/python/**/*.py")]
        pages += REPOSITORY.glob("examples/*.ipynb")
        for page in pages:
            self.assertNotRegex(page.read_text(), r"pip install[^`\n]*[ '\"]turnwise(?=[\['\"` \n]|$)", page.name)


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
        version = re.search(r'^version = "(.*)"', (REPOSITORY / "Cargo.toml").read_text(), re.MULTILINE)[1]
        self.assertIn(f"org.opencontainers.image.version {version}\n", sections["labels"])


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
