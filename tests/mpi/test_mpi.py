"""Real MPIs start several processes that simulate a network together: the rows are those of one process.

    python3 -m unittest discover --start-directory tests/mpi

For each MPI whose compiler wrapper and launcher are found, a command is built with it (`cargo build --features mpi`).
"""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from command import REPOSITORY

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))

# Compiler wrapper, launcher, and what that needs to start more processes than there are cores, as any user.
MPIS = {
    "OpenMPI": ("mpicc.openmpi", ["mpirun.openmpi", "--oversubscribe"]),
    "MPICH": ("mpicc.mpich", ["mpirun.mpich"]),
}
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

NETWORKS = {
    "torus": 'kind = "torus"\nsizes = [6, 6]\n[routing]\nkind = "dimension-order"\n[router]\nvirtual_channels = 4',
    "dragonfly": 'kind = "dragonfly"\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\n'
    'global_ports_per_router = 2\n[routing]\nkind = "piggyback"\n[router]\nvirtual_channels = 6',
    "fat tree": 'kind = "k-ary-n-tree"\narity = 4\nlevels = 3\n[routing]\nkind = "adaptive-nca"',
    "random graph": 'kind = "random-regular"\nrouters = 40\ndegree = 5\n[routing]\nkind = "turnwise"',
}
DEMAND = """
[traffic]
pattern = "uniform"
load = 0.3
[simulation]
warmup_cycles = 200
measure_cycles = {cycles}
[sweep]
"traffic.load" = [0.1, 0.3]
"""


PROGRAM = """
[study]
clock = "1 GHz"
flit_size = "16 B"
[network]
kind = "k-ary-n-tree"
arity = 4
levels = 2
[routing]
kind = "d-mod-k"
[workload]
kind = "npb"
program = "cg"
class = "S"
ranks = 16
iterations = 1
computing = 0
[simulation]
timeline = true
"""
# A large network, so that what MPI itself takes is little beside it.
LARGE = """
[network]
kind = "dragonfly"
groups = 42
routers_per_group = 16
terminals_per_router = 16
global_ports_per_router = 6
channel_latency = { local = 10, global = 100 }
[routing]
kind = "minimal"
virtual_channels = 2
[router]
virtual_channels = 4
buffer_flits = 256
[traffic]
pattern = "uniform"
load = 0.1
[simulation]
warmup_cycles = 100
measure_cycles = 100
drain = false
"""
# How much may be foreseen of what is taken: it is an upper bound, as in crates/turnwise/tests/memory.rs.
MOST_FORESEEN = 1.6
# What is foreseen of the program itself: PROGRAM_BYTES of crates/study/src/estimate.rs.
PROGRAM_BYTES = 13 << 20


class Peak:
    """Bytes that a process has had in memory at its peak, of its own file no more than is foreseen."""

    def __init__(self):
        # The system may take pages of a file back, and the peak was before that: the most that was seen.
        self.mapped, self.bytes = 0, 0

    def look(self, process):
        try:
            status = Path(f"/proc/{process}/status").read_text()
            self.mapped = max(self.mapped, mapped(process))
        except OSError:
            return
        lines = (line.split() for line in status.splitlines())
        most = next((1024 * int(line[1]) for line in lines if line[0] == "VmHWM:"), 0)
        self.bytes = max(most - max(self.mapped - PROGRAM_BYTES, 0), 0)


def mapped(process):
    """Bytes of its own file that a process has in memory: systems map more than is read, and can take it back."""
    program = os.readlink(f"/proc/{process}/exe")
    total, is_own = 0, False
    for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
        name, *fields = line.split()
        if not name.endswith(":"):
            is_own = fields[-1] == program
        elif is_own and name == "Rss:":
            total += 1024 * int(fields[0])
    return total


def study(network, cycles=600):
    return f"[network]\n{NETWORKS[network]}\n" + DEMAND.format(cycles=cycles)


def launcher(mpi):
    """How processes are started, or why they are not."""
    wrapper, start = MPIS[mpi]
    missing = [command for command in (wrapper, start[0]) if shutil.which(command) is None]
    return None if missing else start


def build(mpi):
    """The command with this MPI: only what knows MPI is compiled again."""
    # Whose wrapper it was is nothing that cargo minds.
    subprocess.run(["cargo", "clean", "--quiet", "--package", "mpi-sys", "--package", "mpi"], cwd=REPOSITORY, check=True)
    subprocess.run(
        ["cargo", "build", "--quiet", "--locked", "--package", "turnwise", "--features", "mpi"],
        cwd=REPOSITORY,
        env={**os.environ, "MPICC": MPIS[mpi][0]},
        stderr=subprocess.DEVNULL,
        check=True,
    )
    built = TARGET / "mpi" / mpi.lower() / "turnwise"
    built.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(TARGET / "debug" / "turnwise", built)
    return built


class Mpi:
    """What holds for each of them."""

    mpi = ""
    # What is said when a process dies: the first one has a moment for that, or none.
    last_words = ""

    @classmethod
    def setUpClass(cls):
        cls.start = launcher(cls.mpi)
        if cls.start is None:
            raise unittest.SkipTest(f"no {cls.mpi} here")
        cls.turnwise = build(cls.mpi)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_study(self, text, processes, *options, check=True):
        """Rows without the seconds they took."""
        (self.folder / "study.toml").write_text(text)
        command = [self.turnwise, "run", "study.toml", "--no-report", "--format", "csv", *options]
        if processes:
            command = [*self.start, "-n", str(processes), *command, "--on", "mpi"]
        shutil.rmtree(self.folder / "turnwise-out", ignore_errors=True)
        done = subprocess.run(
            command, cwd=self.folder, env={**os.environ, **AS_ROOT}, capture_output=True, text=True, timeout=300
        )
        if not check:
            return done
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        for row in rows:
            del row["seconds"]
        return rows

    def test_rows_are_those_of_one_process(self):
        for network in NETWORKS:
            alone = self.run_study(study(network), None, "--threads", "1")
            self.assertEqual(len(alone), 2)
            for processes, threads in [(1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (4, 2)]:
                together = self.run_study(study(network), processes, "--threads", str(threads))
                self.assertEqual(together, alone, f"{network}, {processes} processes of {threads} threads")

    def test_journals_of_ranks_are_those_of_one_process(self):
        (self.folder / "logs").mkdir()
        logs = []
        for processes in (None, 2):
            self.run_study(PROGRAM, processes, "--threads", "1", "--messages", "logs")
            logs.append((self.folder / "logs" / "point-0.csv").read_text())
        self.assertGreater(logs[0].count("\n"), 100)
        self.assertEqual(logs, logs[:1] * 2)

    def test_the_memory_of_each_process_is_foreseen(self):
        (self.folder / "study.toml").write_text(LARGE)
        for processes in (2, 4):
            shutil.rmtree(self.folder / "turnwise-out", ignore_errors=True)
            plan = [self.turnwise, "plan", "study.toml", "--processes", str(processes), "--format", "json"]
            planned = subprocess.run(plan, cwd=self.folder, capture_output=True, text=True, check=True)
            foreseen = json.loads(planned.stdout)["memory_bytes"]
            command = [*self.start, "-n", str(processes), self.turnwise, "run", "study.toml", "--no-report", "--on", "mpi"]
            run = subprocess.Popen(
                command, cwd=self.folder, env={**os.environ, **AS_ROOT}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            self.addCleanup(run.kill)
            peaks = defaultdict(Peak)
            while run.poll() is None:
                for process in self.processes_of(run.pid):
                    peaks[process].look(process)
                time.sleep(0.05)
            self.assertEqual(run.returncode, 0, run.stderr.read())
            run.stderr.close()
            most = max((peak.bytes for peak in peaks.values()), default=0)
            told = f"{processes} processes: foreseen {foreseen / 2**20:.0f} MiB, taken {most / 2**20:.0f} MiB"
            self.assertTrue(most <= foreseen <= MOST_FORESEEN * most, told)

    def test_what_is_wrong_is_said_once(self):
        done = self.run_study(study("torus").replace("torus", "tourus"), 3, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("unknown kind"), 1, done.stderr)
        self.assertIn("study.toml:2:8", done.stderr)

    def test_who_has_read_another_study_is_told_of(self):
        texts = {"one.toml": study("torus"), "two.toml": study("torus").replace("[0.1, 0.3]", "[0.1, 0.3, 0.4]")}
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        run = lambda name: ["-n", "1", self.turnwise, "run", name, "--on", "mpi", "--output", "out"]
        for first, second in [("one.toml", "two.toml"), ("two.toml", "one.toml")]:
            done = subprocess.run(
                [*self.start, *run(first), ":", *run(second)],
                cwd=self.folder,
                env={**os.environ, **AS_ROOT},
                capture_output=True,
                text=True,
                timeout=60,
            )
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("process 1: it has read another study than the first one", done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_who_interrupts_any_process_interrupts_the_run(self):
        (self.folder / "study.toml").write_text(study("dragonfly", cycles=20_000_000))
        command = [*self.start, "-n", "2", self.turnwise, "run", "study.toml", "--no-report", "--fresh", "--on", "mpi"]
        run = subprocess.Popen(
            command, cwd=self.folder, env={**os.environ, **AS_ROOT}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(run.kill)
        second = self.wait_for(lambda: self.processes_of(run.pid)[1:])
        # They listen once they have met.
        time.sleep(2)
        os.kill(second[0], signal.SIGINT)
        said = "".join(run.communicate(timeout=60))
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("interrupted", said)

    def test_only_the_first_process_fails(self):
        # Launchers end the first one, perhaps before it has said anything, if another one fails.
        wrapper = self.folder / "codes.sh"
        wrapper.write_text('"$@"\ncode=$?\necho "${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $code" >> codes\nexit $code\n')
        (self.folder / "study.toml").write_text(study("torus").replace("torus", "tourus"))
        command = [*self.start, "-n", "3", "sh", wrapper, self.turnwise, "run", "study.toml", "--on", "mpi"]
        subprocess.run(command, cwd=self.folder, env={**os.environ, **AS_ROOT}, capture_output=True, timeout=60)
        failed = [line for line in (self.folder / "codes").read_text().splitlines() if line.endswith(" 2")]
        self.assertEqual(failed, ["0 2"])

    def test_a_process_that_dies_ends_the_run_and_what_was_finished_stays(self):
        text = study("dragonfly", cycles=20_000_000)
        text = text.replace("[0.1, 0.3]", "[0.1, 0.3]\n").replace("[sweep]", '[sweep]\n"simulation.measure_cycles" = [100, 20000000]')
        (self.folder / "study.toml").write_text(text)
        command = [*self.start, "-n", "2", self.turnwise, "run", "study.toml", "--no-report", "--on", "mpi"]
        run = subprocess.Popen(
            command, cwd=self.folder, env={**os.environ, **AS_ROOT}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(run.kill)
        stored = self.folder / "turnwise-out" / "study" / "results"
        victim = self.wait_for(lambda: self.finished(stored) >= 2 and self.processes_of(run.pid))
        os.kill(victim[-1], signal.SIGKILL)
        said = "".join(run.communicate(timeout=60))
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(self.last_words, said)
        self.assertGreaterEqual(self.finished(stored), 2)

    def finished(self, stored):
        """How many points have results."""
        done = subprocess.run(
            [self.turnwise, "plan", "study.toml"], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.count("done") - done.stdout.count("of them done") if stored.exists() else 0

    def processes_of(self, launched):
        """The processes of the command that a launcher has started, by number."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and self.is_below(int(folder.name), launched):
                executable = folder / "exe"
                if executable.exists() and executable.resolve() == self.turnwise.resolve():
                    found.append(int(folder.name))
        return sorted(found)

    @staticmethod
    def is_below(process, ancestor):
        while process > 1 and process != ancestor:
            try:
                process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                return False
        return process == ancestor

    def wait_for(self, condition):
        limit = time.monotonic() + 120
        while time.monotonic() < limit:
            if found := condition():
                return found
            time.sleep(0.2)
        return self.fail("it did not happen")


class OpenMpi(Mpi, unittest.TestCase):
    mpi = "OpenMPI"
    last_words = "the same command goes on from there"


class Mpich(Mpi, unittest.TestCase):
    mpi = "MPICH"
    last_words = "BAD TERMINATION"


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
