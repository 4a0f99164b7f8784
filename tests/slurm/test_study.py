"""A study runs as array jobs on a real Slurm cluster, or on workers of Dask there, whatever happens to its jobs and nodes.

    python3 -m unittest discover --start-directory tests/slurm
"""

import json
import re
import signal
import sqlite3
import subprocess
import unittest

import cluster
from command import POINTS, study_of_points

STUDY = study_of_points(6_000)
# The Python package is installed there, and Dask.
PYTHON = cluster.REPOSITORY / "target/python/bin/python"
DASK = {
    # Nodes here have little memory on paper.
    "DASK_JOBQUEUE__SLURM__JOB_DIRECTIVES_SKIP": "['--mem']",
    "DASK_JOBQUEUE__SLURM__WORKER_EXTRA_ARGS": "['--no-nanny']",
    "DASK_JOBQUEUE__SLURM__SCHEDULER_OPTIONS": "{'host': '127.0.0.1', 'dashboard_address': None}",
}


@unittest.skipIf(cluster.missing(), f"no Slurm cluster can be started here: {cluster.missing()}")
class Studies(unittest.TestCase):
    """What `turnwise run --on slurm` makes of slurmctld, slurmd and sbatch."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster(8, seconds_until_down=6)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        (cls.cluster.folder / "study.toml").write_text(STUDY)
        cls.turnwise("--output", "alone", "--no-report")
        cls.alone = cls.rows("alone")
        assert len(cls.alone) == POINTS

    @classmethod
    def turnwise(cls, *arguments, **options):
        return cls.cluster.run("turnwise", "run", "study.toml", *arguments, timeout=120, **options)

    def start(self, *arguments):
        """Starts the command, to be disturbed."""
        return self.start_program("turnwise", "run", "study.toml", *arguments)

    def start_program(self, *command, **environment):
        process = subprocess.Popen(
            command, env={**self.cluster.environment, **environment}, cwd=self.cluster.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        """Waits for the end of the command: its exit code and what it said."""
        said, talk = process.communicate(timeout=120)
        return process.returncode, said + talk

    @classmethod
    def rows(cls, output):
        """Every row that any store has, by point, without the seconds it took."""
        found = {}
        for store in (cls.cluster.folder / output / "results").glob("*.sqlite"):
            connection = sqlite3.connect(store, timeout=30)
            has_rows = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'results'").fetchone()
            for point, row in connection.execute("SELECT id, row FROM results") if has_rows else ():
                row = json.loads(row)
                del row["seconds"]
                found.setdefault(point, []).append(row)
            connection.close()
        return found

    def running(self):
        """Tasks that run now, such as `12_3`, and their nodes."""
        said = self.cluster.run("squeue", "--noheader", "--array", "--states=RUNNING", "--format=%F_%K %N").stdout
        return [line.split() for line in said.splitlines()]

    def check(self, output, points):
        """So many points are there, each once, as one machine has them."""
        csv = (self.cluster.folder / output / "results.csv").read_text().splitlines()
        rows = self.rows(output)
        self.assertEqual((len(csv), len(rows)), (1 + points, points))
        for point in rows:
            row = self.alone[point]
            # A point whose task died after it was stored may have been simulated again.
            self.assertTrue(all(other == row[0] for other in rows[point]), point)

    def test_jobs_are_cancelled_and_nodes_die_and_every_point_is_there_once(self):
        process = self.start("--on", "slurm", "--tasks", "24", "--output", "disturbed")
        # All processors of the cluster are busy, and some points are done.
        busy = lambda: len(self.rows("disturbed")) > 0 and len(self.running()) == 16
        self.cluster.wait(busy, "16 tasks are running")
        running = self.running()
        killed = sorted({node for _, node in running})[-3:]
        self.cluster.run("scancel", *[task for task, node in running if node not in killed][:10])
        for node in killed:
            self.cluster.kill_node(int(node[1:]))
        try:
            code, said = self.end(process)
        finally:
            for node in killed:
                self.cluster.start_node(int(node[1:]))
        self.assertEqual(code, 0, said + self.cluster.logs())
        self.assertIn("24 tasks for 400 points", said)
        self.assertIn("400 of 400 points simulated", said)
        self.check("disturbed", POINTS)

    def test_workers_of_dask_are_cancelled_and_die_and_every_point_is_there_once(self):
        needed = "import dask_jobqueue, turnwise"
        if not PYTHON.exists() or subprocess.run([PYTHON, "-c", needed], capture_output=True).returncode != 0:
            self.skipTest(f"{PYTHON} has no turnwise or no dask-jobqueue")
        page = (cluster.REPOSITORY / "docs/cluster.md").read_text()
        program = re.search(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
        program = program.replace("jobs=50", "jobs=4")
        program = program.replace("as client:\n", "as client:\n    client.wait_for_workers(4)\n")
        process = self.start_program(str(PYTHON), "-c", program, **DASK)
        output = "turnwise-out/study"
        self.cluster.wait(lambda: len(self.rows(output)) >= 10, "some points are done", seconds=120)
        jobs = self.cluster.run("squeue", "--noheader", "--states=RUNNING", "--name=dask-worker", "--format=%A %N").stdout
        jobs = [line.split() for line in jobs.splitlines()]
        killed = jobs[0][1]
        self.cluster.kill_node(int(killed[1:]))
        try:
            self.cluster.run("scancel", "--signal=KILL", next(job for job, node in jobs if node != killed))
            self.assertLess(len(self.rows(output)), POINTS)
            code, said = self.end(process)
        finally:
            self.cluster.start_node(int(killed[1:]))
        self.assertEqual(code, 0, said + self.cluster.logs())
        self.check(output, POINTS)

    def test_ctrl_c_leaves_the_job_running_and_the_same_command_goes_on(self):
        study = ["--on", "slurm", "--output", "left", "--set", "study.repeat=5"]
        process = self.start(*study, "--tasks", "1")
        self.cluster.wait(lambda: len(self.rows("left")) >= 20, "some points are done")
        process.send_signal(signal.SIGINT)
        code, said = self.end(process)
        self.assertEqual(code, 130, said)
        job = re.search(r"job (\d+) goes on; \d+ of 200 points have results\. The same command", said)[1]
        self.assertTrue(any(task.startswith(f"{job}_") for task, _ in self.running()), said)
        done = self.turnwise(*study)
        self.assertIn(f"job {job} is still under way", done.stderr)
        self.assertNotIn("tasks for", done.stderr)
        self.check("left", 200)

    def test_who_does_not_wait_is_told_how_to_go_on(self):
        done = self.turnwise("--on", "slurm", "--no-wait", "--output", "unwatched", "--sbatch=--hold")
        job = re.match(r"job (\d+): 1 task for 400 points", done.stderr)[1]
        self.assertIn(f"job {job} is under way; 0 of 400 points have results", done.stderr)
        self.cluster.run("scancel", job)
        one = ["--set", "sweep.traffic.load=[0.1]"]
        done = self.turnwise("--on", "slurm", "--output", "unwatched", *one)
        self.assertIn("10 of 10 points simulated", done.stdout)

    def test_a_refusal_is_told_in_the_words_of_slurm(self):
        for arguments, words in (
            (["--partition", "nope"], "invalid partition specified: nope"),
            (["--partition", "nope"], "partitions are main"),
            (["--time", "soon"], "Invalid --time specification"),
            (["--memory", "100T"], "Memory specification can not be satisfied"),
            (["--sbatch=--nonsense"], "unrecognized option '--nonsense'"),
        ):
            done = self.turnwise("--on", "slurm", "--output", "refused", *arguments, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
            self.assertFalse((self.cluster.folder / "refused").exists())

    def test_a_folder_that_nodes_do_not_see_is_named(self):
        hidden = self.cluster.folder / "hidden"
        hidden.mkdir()
        self.cluster.stop_node(1)
        self.cluster.start_node(1, hiding=hidden)
        try:
            done = self.turnwise("--on", "slurm", "--output", "hidden/out", "--sbatch=--nodelist=n1", check=False)
        finally:
            self.cluster.stop_node(1)
            self.cluster.start_node(1)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"task 0 could not write into \S+/hidden/out/slurm/1; is that on a file system that n1")


if __name__ == "__main__":
    unittest.main()
