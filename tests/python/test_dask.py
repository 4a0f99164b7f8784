"""Studies on a cluster of Dask: the same rows as on one machine, whatever becomes of its workers."""

import os
import signal
import subprocess
import sys
import threading

import cloudpickle
import dask
import pytest
import turnwise
from command import POINTS, study_of_points
from distributed import Client, LocalCluster, WorkerPlugin

STUDY = study_of_points(10_000)
FEW = {"study.repeat": 1, "sweep.traffic.load": [0.1, 0.2, 0.3, 0.4]}
FOR_EVER = 10**12

# What workers are given of this file they cannot import.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def cluster():
    # So long after a worker is lost the cluster looks whether it has come back, and gives it up otherwise: also where it has come
    # back and is lost again at that very moment. Then nobody would be left to wait for.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=120)
        yield client


def rows(results):
    """All that is known of every point but how long it took."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in results.rows]


class Wrecker:
    """Is told how far a run has come, and kills a worker whenever there is another one of `at`."""

    def __init__(self, cluster, at):
        self.cluster, self.at, self.killed = cluster, list(at), []

    def __call__(self, done, total):
        if self.at and done >= self.at[0]:
            # One that has not come up yet would be given up by its nanny.
            up = set(self.cluster.scheduler.workers)
            nannies = [nanny for nanny in self.cluster.workers.values() if nanny.worker_address in up]
            there = [nanny.pid for nanny in nannies if nanny.pid and nanny.pid not in self.killed]
            if there:
                os.kill(there[0], signal.SIGKILL)
                self.killed.append(there[0])
                self.at.pop(0)


def test_workers_are_killed_and_every_point_is_there_once(cluster, client, command, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    alone = command("run", "study.toml", "--output", "alone", "--no-report")
    assert alone.returncode == 0, alone.stderr
    study = turnwise.Study.from_file(tmp_path / "study.toml")
    wrecker = Wrecker(cluster, [20, 120, 240])
    results = study.run(client=client, output=tmp_path / "dask", prove=False, progress=wrecker)
    assert len(wrecker.killed) == 3
    assert (len(results), results.simulated, results.reused, results.failures) == (POINTS, POINTS, 0, [])
    assert rows(results) == rows(study.run(output=tmp_path / "alone", prove=False))
    # The stores hold the same, and nothing twice: neither engine has anything left to do.
    again = command("run", "study.toml", "--output", "dask")
    assert f"({POINTS} points were there from an earlier run.)" in again.stdout
    assert study.run(client=client, output=tmp_path / "alone", prove=False).reused == POINTS


@pytest.fixture
def heard():
    """Ctrl-C is heard, also where the tests were started in the background, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_stops_the_workers_and_the_same_call_goes_on(client, tmp_path):
    endless = turnwise.Study(
        STUDY, set={**FEW, "simulation.warmup_cycles": 0, "sweep.simulation.measure_cycles": [1000, FOR_EVER]}
    )
    pressed = []

    def press(done, total):
        # What takes for ever is handed out first, so that both workers are busy with it.
        assert done == 0
        if not pressed:
            pressed.append(threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)))
            pressed[0].start()

    with pytest.raises(KeyboardInterrupt):
        endless.run(client=client, output=tmp_path / "out", progress=press)
    # Otherwise nobody would answer.
    answers = [client.submit(os.getpid, workers=[worker], pure=False) for worker in client.nthreads()]
    assert len({answer.result(timeout=60) for answer in answers}) == 2
    study = turnwise.Study(STUDY, set={**FEW, "simulation.warmup_cycles": 0, "simulation.measure_cycles": 1000})

    def tire(done, total):
        if done == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        study.run(client=client, output=tmp_path / "out", progress=tire)
    results = study.run(client=client, output=tmp_path / "out")
    assert (results.reused, results.simulated) == (2, 2)
    assert rows(results) == rows(study.run())


@pytest.fixture
def of_files(tmp_path):
    """A study whose network and traffic are in files of a folder."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "ring.txt").write_text("0 1\n1 2\n2 0\n")
    (folder / "matrix.csv").write_text("0,2,1\n1,0,1\n3,1,0\n")
    text = """
    network = { kind = "edge-list", file = "ring.txt" }
    routing = { kind = "shortest-path" }
    traffic = { pattern = "matrix", file = "matrix.csv", load = 0.1 }
    """
    return folder, turnwise.Study(text, folder=folder, set={"simulation.measure_cycles": 1000})


def test_workers_see_no_file_of_the_study(client, of_files):
    folder, study = of_files
    here = rows(study.run(prove=False))

    def burn(done, total):
        # What has been handed out needs no files any more, and nothing has come back yet.
        for file in folder.iterdir():
            file.unlink()

    assert rows(study.run(client=client, prove=False, progress=burn)) == here
    with pytest.raises(turnwise.TurnwiseError, match=r"cannot read .*ring\.txt"):
        study.run(client=client)


def test_files_that_have_changed_are_not_taken_for_those_that_were_read(client, of_files):
    folder, study = of_files
    (folder / "matrix.csv").write_text("0,2,1\n1,0,1\n3,2,0\n")
    with pytest.raises(turnwise.TurnwiseError, match="matrix.csv has changed since the study was read"):
        study.run(client=client)


class Deadly(WorkerPlugin):
    """Workers die of a point."""

    name = "deadly"

    def __init__(self, point):
        self.point = point

    def transition(self, key, start, finish, **_):
        if finish == "executing" and isinstance(key, tuple) and key[2] == self.point:
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_point_that_kills_its_workers_fails_and_no_other_does(cluster, client):
    allowed, cluster.scheduler.allowed_failures = cluster.scheduler.allowed_failures, 0
    client.register_plugin(Deadly(2))
    try:
        study = turnwise.Study(STUDY, set=FEW)
        results = study.run(client=client)
    finally:
        client.unregister_worker_plugin("deadly")
        cluster.scheduler.allowed_failures = allowed
    (failure,) = results.failures
    assert failure.index == 2
    assert failure.message.startswith("every worker that tried it died, 1 in a row, the last at tcp://")
    assert failure.message.endswith("MiB are expected; the memory of workers may be too small")
    others = rows(study.run())
    del others[2]
    assert rows(results) == others


def test_who_has_another_turnwise_is_refused(client):
    def pretend(build):
        import turnwise._native as native

        native.build, native.real = (lambda: build), native.build

    def confess():
        import turnwise._native as native

        native.build = native.real

    client.run(pretend, "0.1.9 (old)")
    try:
        with pytest.raises(turnwise.TurnwiseError, match=rf"worker tcp://\S+ has turnwise 0\.1\.9 \(old\), and this is turnwise {turnwise.__version__}"):
            turnwise.Study(STUDY, set=FEW).run(client=client)
    finally:
        client.run(confess)
    assert turnwise.Study(STUDY, set=FEW).run(client=client).simulated == 4


def test_points_that_fail_are_told(client, tmp_path):
    (tmp_path / "fine.goal").write_text("num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n")
    (tmp_path / "stuck.goal").write_text("num_ranks 2\nrank 0 {\nl1: recv 8b from 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n")
    text = """
    network = { kind = "torus", sizes = [2, 2] }
    routing = { kind = "dimension-order" }
    workload = { kind = "goal", cycle_ns = 1, flit_bytes = 8 }
    sweep = { "workload.file" = ["fine.goal", "stuck.goal"] }
    """
    study = turnwise.Study(text, folder=tmp_path)
    here, there = study.run(), study.run(client=client)
    assert [failure.index for failure in there.failures] == [1]
    assert there.failures == here.failures
    assert rows(there) == rows(here)


def test_threads_of_a_point_leave_no_trace(client):
    study = turnwise.Study(STUDY, set=FEW)
    assert rows(study.run(client=client, threads=2)) == rows(study.run())


def test_a_client_is_one_of_dask(client):
    with pytest.raises(TypeError, match="client: expected a synchronous dask.distributed.Client, found 'nobody'"):
        turnwise.Study(STUDY, set=FEW).run(client="nobody")


def test_who_has_no_dask_is_told_how_to_get_it():
    program = (
        "import sys; sys.modules['distributed'] = None; import turnwise\n"
        "study = turnwise.Study({'network': {'kind': 'torus', 'sizes': [4]}, 'routing': {'kind': 'dimension-order'},"
        " 'traffic': {'pattern': 'uniform', 'load': 0.1}})\n"
        "try: study.run(client=object())\n"
        "except ImportError as why: print(why)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # Not by its name alone, which is anybody's on PyPI.
    assert "pip install dask distributed" in ran.stdout and "'turnwise[" not in ran.stdout
