"""Jobs on a real Slurm cluster of eight virtual nodes get tables, or are refused with the reason.

    python3 -m unittest discover --start-directory tests/slurm
"""

import itertools
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import cluster
import tables

# n1 to n8 on a torus of 4x2: n1, n3, n5, n7 are one ring, n2, n4, n6, n8 the other.
TORUS = 'sizes = [4, 2]\nhosts = "n[1-8]"\n'
ROUTING = '[routing]\nkind = "angara-balanced"\n'
HEALTHY = TORUS + ROUTING
CHECK = f"python3 {Path(tables.__file__).resolve()}"


@unittest.skipIf(cluster.missing(), f"no Slurm cluster can be started here: {cluster.missing()}")
class Daemons(unittest.TestCase):
    """What slurmctld, slurmd and srun make of our prologs."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster(8, HEALTHY)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        self.cluster.write_site(HEALTHY)

    def submit(self, script, *options):
        """Submits a script, and returns its job's number and where its output goes."""
        output = self.cluster.folder / "out" / f"{self.id()}-{next(NUMBERS)}"
        file = output.with_suffix(".sh")
        file.write_text("#!/bin/bash\n" + script)
        done = self.cluster.run("sbatch", "--parsable", "-o", output, *options, file)
        return done.stdout.strip(), output

    def state(self, job):
        """What Slurm says of a job, field by field."""
        shown = self.cluster.run("scontrol", "--oneliner", "show", "job", job).stdout
        return dict(re.findall(r"(\w+)=(.*?)(?= \w+=|$)", shown.strip()))

    def finished(self, job):
        """Waits for the end of a job, and returns its state."""
        over = ("COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL")
        self.cluster.wait(lambda: self.state(job)["JobState"] in over, f"job {job} has ended")
        return self.state(job)

    def held(self, job):
        """Waits until a job is refused, and returns its state."""
        def holds():
            state = self.state(job)
            return state if (state["JobState"], state["Reason"]) == ("PENDING", "JobHeldAdmin") else None
        return self.cluster.wait(holds, f"job {job} is held")

    def gone(self, job):
        """Waits until the epilog has removed a job's tables."""
        left = lambda: [path for path in self.cluster.tables.glob("*") if path.name.startswith(f"job-{job}")]
        self.cluster.wait(lambda: not left(), f"the tables of job {job} are gone")

    def test_a_job_and_each_of_its_steps_find_the_tables_of_exactly_their_nodes(self):
        job, output = self.submit(f"""
            srun -N2 -n2 -w n1,n2 {CHECK}
            srun -N4 -n4 -w n3,n4,n5,n6 {CHECK}
            cp -r "$TURNWISE_OUT/job-$SLURM_JOB_ID" {self.cluster.folder}/kept
            """, "-w", "n[1-6]", "-N6")
        state = self.finished(job)
        said = output.read_text()
        self.assertEqual(state["JobState"], "COMPLETED", said + self.cluster.logs())
        self.assertEqual(said.count(f"step {job}.0 has tables for n[1-2]"), 2, said)
        self.assertEqual(said.count(f"step {job}.1 has tables for n[3-6]"), 4, said)
        manifest, rows = tables.read(self.cluster.folder / "kept")
        self.assertEqual(tables.hosts(manifest), [f"n{node}" for node in range(1, 7)])
        self.assertEqual((manifest["job"], manifest["verdict"]), (job, "deadlock-free"))
        self.assertGreaterEqual(manifest["edge_forwarding_index"], manifest["lower_bound"])
        tables.links(manifest, rows)
        self.gone(job)
        log = self.cluster.log.read_text()
        for name, nodes in ((job, "6 nodes n[1-6]"), (f"{job}.0", "2 nodes n[1-2]"), (f"{job}.1", "4 nodes n[3-6]")):
            self.assertRegex(log, rf"(?m)^\S+Z job {name}: {re.escape(nodes)}, angara-\S+ deadlock-free, index \d+ ")

    def test_jobs_are_routed_around_a_failed_link_and_a_failed_node(self):
        self.cluster.write_site(TORUS + ROUTING + '[failed]\nnodes = "n7"\nlinks = [["n1", "n2"]]\n')
        job, output = self.submit(f"""
            srun {CHECK}
            cp -r "$TURNWISE_OUT/job-$SLURM_JOB_ID.0" {self.cluster.folder}/around
            """, "-N7", "-n7", "-x", "n7")
        state = self.finished(job)
        self.assertEqual(state["JobState"], "COMPLETED", output.read_text() + self.cluster.logs())
        self.assertEqual(output.read_text().count("has tables for n[1-6,8]"), 7)
        manifest, rows = tables.read(self.cluster.folder / "around")
        crossed = tables.links(manifest, rows)
        self.assertIn(frozenset([(1, 0), (1, 1)]), crossed)
        self.assertNotIn(frozenset([(0, 0), (0, 1)]), crossed)
        self.assertFalse(any((3, 0) in link for link in crossed))

    def test_a_job_that_cannot_be_routed_is_held_with_the_reason_until_it_can(self):
        self.cluster.write_site(TORUS + ROUTING + '[failed]\nnodes = "n4"\n')
        job, output = self.submit("echo ran", "-w", "n[3-4]")
        state = self.held(job)
        why = f"job {job}: refused on n[3-4]: n4 is out of order"
        self.assertEqual(state["Comment"].strip(), f"turnwise: {why}")
        self.assertIn(why, self.cluster.log.read_text())
        self.assertFalse(output.exists())
        self.gone(job)
        self.cluster.write_site(HEALTHY)
        self.cluster.run("scontrol", "release", job)
        # Slurm starts no requeued job before its time; an administrator need not wait for that.
        self.cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now")
        self.assertEqual(self.finished(job)["JobState"], "COMPLETED")
        self.assertEqual(output.read_text(), "ran\n")

    def test_an_interactive_job_that_cannot_be_routed_is_killed(self):
        # Opposite corners: what lies between them is not the job's.
        done = self.cluster.run("srun", "-N2", "-w", "n1,n4", "echo", "ran", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("ran", done.stdout)
        # Which of the two comes first is a race inside of Slurm, and srun ends with it.
        self.assertRegex(done.stderr, r"PrologSlurmctld failed, job killed|Job allocation \d+ has been revoked")
        refused = "refused on n[1,4]: no route from n1 to n4: the rule against passing through other nodes"
        self.assertIn(refused, self.cluster.log.read_text())

    def test_a_step_that_cannot_be_routed_does_not_start_and_others_do(self):
        job, output = self.submit(f"""
            srun -N2 -n2 -w n1,n4 sh -c 'echo task ran' 2>&1
            echo "the step ended with $?"
            srun -N2 -n2 -w n1,n2 {CHECK}
            """, "-w", "n[1-4]")
        self.assertEqual(self.finished(job)["JobState"], "COMPLETED", self.cluster.logs())
        said = output.read_text()
        self.assertIn(f"turnwise: job {job}.0: refused on n[1,4]: no route from n1 to n4: ", said)
        self.assertIn("srun prolog failed rc = 1. Aborting step.", said)
        self.assertNotIn("task ran", said)
        self.assertRegex(said, r"the step ended with [1-9]")
        self.assertEqual(said.count(f"step {job}.1 has tables for n[1-2]"), 2, said)

    def test_a_step_that_a_task_starts_has_tables_for_its_own_nodes(self):
        inner = self.cluster.folder / "out" / "inner.sh"
        inner.write_text(f"#!/bin/bash\nsrun --overlap -N4 -n4 -w n3,n4,n5,n6 {CHECK}\n")
        inner.chmod(0o755)
        job, output = self.submit(f"srun -N1 -n1 -w n1 {inner}", "-w", "n[1-6]", "-N6")
        self.assertEqual(self.finished(job)["JobState"], "COMPLETED", output.read_text() + self.cluster.logs())
        self.assertEqual(output.read_text().count(f"step {job}.1 has tables for n[3-6]"), 4, output.read_text())

    def test_of_an_array_only_what_cannot_be_routed_is_held(self):
        self.cluster.write_site(TORUS + ROUTING + '[failed]\nnodes = "n4"\n')
        job, _ = self.submit("sleep 20", "-N2", "-n4", "--exclusive", "-a", "1-2", "-x", "n[5-8]")

        def elements():
            shown = self.cluster.run("squeue", "--noheader", "-a", "-j", job, "-r", "-o", "%t %r %N").stdout
            lines = sorted(line.split() for line in shown.splitlines())
            return lines if [line[0] for line in lines] == ["PD", "R"] and lines[0][1] == "JobHeldAdmin" else None

        _, running = self.cluster.wait(elements, f"one element of {job} is held and the other runs")
        self.assertEqual(running[1], "None", running)
        self.cluster.run("scancel", job)

    def test_a_broken_site_file_holds_jobs_with_the_place_of_the_error(self):
        self.cluster.write_site('sizes = [4, 2]\nhosts = "n[1-7]"\n' + ROUTING)
        job, output = self.submit("echo ran", "-N1")
        state = self.held(job)
        self.assertIn("site.toml:4:9: 7 hosts do not fill a torus of 8 nodes", state["Comment"])
        self.gone(job)
        self.cluster.run("scancel", job)

    def test_a_killed_prolog_holds_the_job_and_leaves_no_table_half_written(self):
        script = self.cluster.folder / "bin" / "turnwise"
        real = script.resolve()
        script.unlink()
        # As if the kernel had chosen the prolog when memory ran out. (No shell script, because Slurm
        # blocks SIGCHLD for its prologs, without which a shell waits for its background jobs for ever.)
        script.write_text(KILLER.format(python=sys.executable, real=real))
        script.chmod(0o755)
        try:
            job, output = self.submit("echo ran", "-N2", "-w", "n[1-2]")
            self.held(job)
            self.assertFalse(output.exists())
            for folder in self.cluster.tables.glob("job-*"):
                tables.read(folder)
            self.cluster.run("scancel", job)
        finally:
            script.unlink()
            script.symlink_to(real)

    def test_slurm_places_jobs_by_our_topology_and_on_proposed_nodes(self):
        shown = self.cluster.run("scontrol", "show", "topology").stdout
        self.assertIn("SwitchName=x-y0 Level=0 LinkSpeed=1 Nodes=n[1,3,5,7]", shown)
        self.assertIn("SwitchName=xy Level=1 LinkSpeed=1 Nodes=n[1-8]", shown)
        proposed = json.loads(self.cluster.run(
            "turnwise", "slurm", "select", "4", "--site", self.cluster.site, "--busy", "n[1,3]", "--format", "json").stdout)
        self.assertEqual(proposed["nodes"], 4)
        names = self.cluster.run("scontrol", "show", "hostnames", proposed["hostlist"]).stdout.split()
        self.assertEqual(len(set(names) - {"n1", "n3"}), 4)
        done = self.cluster.run("srun", "-N4", "-n4", "-w", proposed["hostlist"], "sh", "-c", CHECK)
        self.assertEqual(done.stdout.count(f"has tables for {proposed['hostlist']}"), 4)


class Killed(unittest.TestCase):
    """The prolog is killed at random moments, while another job's prolog goes on beside it."""

    KILLS = 50
    ROUNDS = 200

    def test_tables_are_whole_or_absent_whenever_the_prolog_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            site, out = folder / "site.toml", folder / "out"
            site.write_text('sizes = [4, 4, 4]\nhosts = "n[1-64]"\n[routing]\nkind = "angara-dor"\n')

            def start(job, nodes):
                command = [cluster.turnwise(), "slurm", "prolog", "--site", site, "--out", out, "--job", job, "--nodes", nodes]
                return subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL)

            # The quickest of some runs, so that few are over before they are killed.
            undisturbed = 60.0
            for _ in range(3):
                began = time.monotonic()
                self.assertEqual(start("0", "n[1-64]").wait(), 0)
                undisturbed = min(undisturbed, time.monotonic() - began)
            seed = random.randrange(1 << 32)
            dice = random.Random(seed)
            ends = {"killed": 0, "finished": 0, "whole": 0, "absent": 0, "leftovers": 0}
            for _ in range(self.ROUNDS):
                if ends["killed"] == self.KILLS:
                    break
                # Jobs come back, so that folders are replaced as well as made.
                job = str(dice.randrange(1, 4))
                neighbour = start("99", "n[1-32]")
                process = start(job, "n[1-64]")
                # Half of them at any moment, half of them after they have begun to write.
                if dice.random() < 0.5:
                    begun = lambda: any(out.glob(f".job-{job}.{process.pid}-*.part"))
                    while process.poll() is None and not begun():
                        time.sleep(0.0005)
                    time.sleep(dice.choice([0, dice.uniform(0, 0.5 * undisturbed)]))
                else:
                    time.sleep(dice.uniform(0, 1.1 * undisturbed))
                process.kill()
                ends["killed" if process.wait() == -signal.SIGKILL else "finished"] += 1
                # At once, because the neighbour removes what killed prologs leave.
                ends["leftovers"] += any(out.glob(f".job-{job}.{process.pid}-*"))
                self.assertEqual(neighbour.wait(), 0, f"seed {seed}")
                if (out / f"job-{job}").exists():
                    manifest, _ = tables.read(out / f"job-{job}")
                    self.assertEqual(len(manifest["nodes"]), 64, f"seed {seed}")
                    ends["whole"] += 1
                else:
                    ends["absent"] += 1
                manifest, _ = tables.read(out / "job-99")
                self.assertEqual(len(manifest["nodes"]), 32, f"seed {seed}")
            self.assertEqual(start("5", "n[1-2]").wait(), 0)
            left = sorted(path.name for path in out.iterdir() if path.name.startswith("."))
            self.assertEqual(left, [".lock"], f"seed {seed}")
            self.assertGreaterEqual(ends["killed"], 30, f"{ends}, seed {seed}")
            # Otherwise the kills have missed the moments that matter.
            self.assertGreater(ends["leftovers"], 0, f"{ends}, seed {seed}")
            print(f"\nprologs {ends}", end=" ", flush=True)


NUMBERS = itertools.count(1)

KILLER = """#!{python}
import os, subprocess, sys
process = subprocess.Popen(["{real}", *sys.argv[1:]])
if sys.argv[2] == "prolog":
    process.kill()
sys.exit(process.wait() % 256)
"""

if __name__ == "__main__":
    unittest.main()
