"""Studies from files, texts and dicts; what is wrong with them; running them."""

import contextlib
import json
import pickle
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
import turnwise

TORUS = {
    "network": {"kind": "torus", "sizes": [4, 4]},
    "routing": {"kind": "dimension-order"},
    "traffic": {"pattern": "uniform", "load": 0.1},
    "simulation": {"warmup_cycles": 200, "measure_cycles": 800},
}


def test_a_dict_a_text_and_a_file_are_the_same_study(tmp_path):
    of_dict = turnwise.Study(TORUS)
    of_text = turnwise.Study(of_dict.text)
    (tmp_path / "torus.toml").write_text(of_dict.text)
    of_file = turnwise.Study.from_file(tmp_path / "torus.toml")
    assert of_file.name == "torus"
    prints = [study.run().table["fingerprint"].tolist() for study in (of_dict, of_text, of_file)]
    assert prints[0] == prints[1] == prints[2]
    assert len(prints[0]) == 1


def test_numbers_of_numpy_are_numbers():
    study = turnwise.Study(
        {**TORUS, "network": {"kind": "torus", "sizes": np.array([4, 4])}, "sweep": {"traffic.load": np.linspace(0.1, 0.3, 3)}}
    )
    assert study.swept == ["traffic.load"]
    assert len(study) == 3


def test_fields_are_overridden():
    study = turnwise.Study(TORUS, set={"network.sizes": [3, 5], "routing": {"kind": "shortest-path"}})
    assert study.networks()[0].description == "3x5 torus"
    assert study.route()[0].name == "shortest-path"


def test_as_many_routings_are_made_as_are_proved():
    study = turnwise.Study(
        {
            "study": {"clock": "1 GHz", "flit_size": "16 B"},
            "network": {"kind": "fat-tree", "m": [2, 2], "w": [1, 2]},
            "routing": {"kind": "d-mod-k"},
            "ethernet": {},
            "traffic": {"pattern": "uniform", "load": 0.1},
            "sweep": {"ethernet.priorities": [1, 2]},
        }
    )
    assert len(study.route()) == len(study.verify()) == 2
    assert len(study.networks()) == 1


def test_what_is_wrong_is_told_with_its_place():
    text = textwrap.dedent(
        """\
        [network]
        kind = "torsu"
        sizes = [4, 4]
        [routing]
        kind = "dimension-order"
        classes = 7
        """
    )
    with pytest.raises(turnwise.StudyError) as raised:
        turnwise.Study(text, name="mine.toml")
    error = raised.value
    assert (error.file, error.line, error.column) == ("mine.toml", 2, 8)
    assert error.help is not None and "did you mean `torus`?" in error.help
    assert [problem.line for problem in error.problems] == [2, 6]
    assert str(error).startswith("mine.toml:2:8: ")
    assert isinstance(error, ValueError)


def test_an_override_that_is_wrong_is_named():
    with pytest.raises(turnwise.StudyError) as raised:
        turnwise.Study(TORUS, set={"traffic.load": 7})
    assert (raised.value.file, raised.value.line) == ("--set #1", 1)


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, None])
def test_a_dict_holds_what_a_study_can_hold(value):
    with pytest.raises(TypeError, match=r"routing\.classes"):
        turnwise.Study({**TORUS, "routing": {"kind": "dimension-order", "classes": value}})


def test_what_a_study_lacks_is_missed_where_it_is_needed():
    study = turnwise.Study({"network": TORUS["network"]})
    assert study.networks()[0].routers == 16
    with pytest.raises(turnwise.StudyError, match="routing"):
        study.verify()
    with pytest.raises(turnwise.StudyError, match="routing"):
        study.run()


def test_a_plan_has_a_row_for_each_point():
    plan = turnwise.Study({**TORUS, "sweep": {"traffic.load": [0.1, 0.2]}}).plan()
    assert [json.loads(point) for point in plan["point"]] == [{"traffic.load": 0.1}, {"traffic.load": 0.2}]
    assert plan["routers"].tolist() == [16, 16]
    assert (plan["bytes"] > 0).all() and (plan["seconds"] > 0).all()


def test_a_proof_is_a_certificate_or_a_cycle():
    free, cyclic = turnwise.Study({**TORUS, "sweep": {"router.virtual_channels": [2, 1]}}).verify()
    assert (free.verdict, free.is_negative, free.cycle) == ("deadlock-free", False, [])
    assert free.certificate is not None and json.loads(free.certificate)
    assert free.edge_forwarding_index >= free.lower_bound == 8
    assert (cyclic.verdict, cyclic.is_negative, cyclic.certificate) == ("cyclic", True, None)
    assert len(cyclic.cycle) == 4
    assert (cyclic.pairs, cyclic.unroutable_pairs) == (240, 0)


def test_a_negative_answer_says_why():
    study = turnwise.Study(TORUS, set={"router.virtual_channels": 1})
    assert "deadlock" in (study.run().negative or "")
    assert turnwise.Study(TORUS).run().negative is None


def test_a_report_is_written(tmp_path):
    page = turnwise.Study({**TORUS, "sweep": {"traffic.load": [0.1, 0.2]}}).report(tmp_path / "out")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "out/results.csv").read_text().count("\n") == 3
    assert list((tmp_path / "out/plots").glob("*.svg"))


def test_what_cannot_be_written_is_an_os_error(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError, match="taken"):
        turnwise.Study(TORUS).run().report(tmp_path / "taken")
    # Where results are kept is more than a file, and so is what can be wrong with it.
    with pytest.raises(turnwise.TurnwiseError, match="result folder .*taken"):
        turnwise.Study(TORUS).run(output=tmp_path / "taken")


def test_other_threads_of_python_go_on_while_a_study_runs():
    turns, over = 0, threading.Event()

    def turn():
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=turn)
    other.start()
    before = turns
    turnwise.Study(TORUS, set={"simulation.measure_cycles": 100_000}).run(threads=1)
    gone = turns - before
    over.set()
    other.join()
    assert gone > 10


def test_progress_counts_points():
    heard = []
    study = turnwise.Study({**TORUS, "sweep": {"traffic.load": [0.1, 0.2, 0.3]}})
    study.run(progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (3, 3)
    assert heard == sorted(heard)


def test_what_progress_raises_ends_the_run():
    def tired(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        turnwise.Study(TORUS, set={"simulation.measure_cycles": 1_000_000}).run(progress=tired)


def test_ctrl_c_ends_a_run_and_keeps_what_is_done(tmp_path):
    program = textwrap.dedent(
        f"""
        import os, signal, threading, turnwise
        # Whoever was started in the background of a shell ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        study = turnwise.Study({TORUS!r}, set={{
            "simulation.warmup_cycles": 0,
            "sweep.simulation.measure_cycles": [1000, 500000000],
        }})
        def pressed(done, total):
            if done == 1:
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
                pressed.__code__ = (lambda done, total: None).__code__
        try:
            study.run(output={str(tmp_path / "out")!r}, threads=1, progress=pressed)
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout == "interrupted\n"
    study = turnwise.Study(TORUS, set={"simulation.warmup_cycles": 0, "simulation.measure_cycles": 1000})
    assert study.run(output=tmp_path / "out").reused == 1


def test_errors_are_pickled_with_their_places():
    with pytest.raises(turnwise.StudyError) as raised:
        turnwise.Study({"network": {"kind": "torsu"}})
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.problems) == (str(raised.value), raised.value.problems)


def test_files_are_swept_by_name_and_as_arrays(tmp_path):
    matrix = np.ones((4, 4)) - np.eye(4)
    for number in (1, 2):
        np.savetxt(tmp_path / f"m{number}.csv", number * matrix, delimiter=",")
    study = {
        "network": {"kind": "torus", "sizes": [4]},
        "routing": {"kind": "dimension-order"},
        "traffic": {"pattern": "matrix", "file": str(tmp_path / "m1.csv"), "load": 0.05},
    }
    names = [str(tmp_path / "m1.csv"), tmp_path / "m2.csv"]
    for files in (names, [matrix, 2 * matrix]):
        assert len(turnwise.Study({**study, "sweep": {"traffic.file": files}})) == 2
    assert len(turnwise.Study({**study, "traffic": {**study["traffic"], "file": tmp_path / "m1.csv"}})) == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_told_by_its_field(value):
    with pytest.raises(ValueError, match=r"traffic\.load: expected a finite number"):
        turnwise.Study({"network": {"kind": "torus", "sizes": [4]}, "traffic": {"load": value}})


def test_results_of_another_revision_are_told_of_where_they_are_asked_for(tmp_path):
    study = turnwise.Study(TORUS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.run(output=tmp_path)
        assert study.run(output=tmp_path).reused == 1
    for store in (tmp_path / "results").glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(store)) as rows, rows:
            rows.execute("UPDATE results SET revision = '0123456789ab'")
    with pytest.warns(UserWarning, match="found again, not simulated: 1 result of revision 0123456789ab, where this is") as told:
        study.run(output=tmp_path)
        study.report(tmp_path)
    assert [warning.filename for warning in told] == [__file__, __file__]
    assert str(tmp_path) in str(told[0].message)
