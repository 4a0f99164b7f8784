"""Tests of otf2_to_turnwise.py: python3 -m unittest tools/test_otf2_to_turnwise.py

An archive is written with the library of OTF2, converted, and replayed. Skipped where there is no such library.
"""

import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))
sys.path.append(str(TOOLS.parent / "tests"))

from command import turnwise

try:
    import otf2
    from otf2 import events
    from otf2.enums import CollectiveOp, GroupType, LocationGroupType, LocationType, Paradigm, RegionRole

    import otf2_to_turnwise
except ImportError:
    otf2 = None

# Ticks in a second: a tick is two nanoseconds.
TICKS = 500_000_000
# No root, in OTF2.
NO_ROOT = 2**32 - 1


class Archive:
    """An archive of an MPI program of a few ranks."""

    def __init__(self, folder, ranks):
        self.trace = otf2.writer.Writer(str(folder), timer_resolution=TICKS)
        definitions = self.trace.definitions
        node = definitions.system_tree_node("node")
        self.locations = []
        for rank in range(ranks):
            group = definitions.location_group(
                f"rank {rank}", location_group_type=LocationGroupType.PROCESS, system_tree_parent=node
            )
            self.locations.append(definitions.location("main", type=LocationType.CPU_THREAD, group=group))
        definitions.group("locations", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=self.locations)
        self.world = self.communicator("MPI_COMM_WORLD", range(ranks))
        self.time = [1000] * ranks
        self.regions = {}

    def communicator(self, name, ranks):
        members = [self.locations[rank] for rank in ranks]
        definitions = self.trace.definitions
        group = definitions.group(name, group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=members)
        return definitions.comm(name, group=group)

    def region(self, name, paradigm):
        if name not in self.regions:
            self.regions[name] = self.trace.definitions.region(
                name, source_file="", region_role=RegionRole.FUNCTION, paradigm=paradigm
            )
        return self.regions[name]

    def call(self, rank, name, *of_call, computed=50, took=10):
        """A rank computes for some ticks, then calls a function of MPI."""
        writer = self.trace.event_writer_from_location(self.locations[rank])
        region = self.region(name, Paradigm.MPI)
        self.time[rank] += computed
        writer(events.Enter(self.time[rank], region))
        for make in of_call:
            self.time[rank] += 1
            writer(make(self.time[rank]))
        self.time[rank] += took
        writer(events.Leave(self.time[rank], region))

    def collective(self, rank, op, sent, received, root=NO_ROOT, of=None):
        self.call(
            rank,
            f"MPI_{op}",
            events.MpiCollectiveBegin,
            lambda time: events.MpiCollectiveEnd(time, getattr(CollectiveOp, op), of or self.world, root, sent, received),
        )


@unittest.skipIf(otf2 is None, "no library of OTF2 here: python3 -m pip install otf2")
class Conversion(unittest.TestCase):
    """What an archive says is what the trace says, and how long it takes."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="turnwise-otf2-")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def archive(self, ranks):
        return Archive(self.path / "archive", ranks)

    def converted(self, archive, in_place=()):
        """The lines of each rank, and what was left away."""
        archive.trace.close()
        out = io.StringIO()
        converter = otf2_to_turnwise.read(str(self.path / "archive" / "traces.otf2"), in_place)
        converter.write(out)
        self.open = dict(converter.open)
        self.text = out.getvalue()
        ranks = self.text.split("\nrank ")[1:]
        return [part.removesuffix("\nend\n").split("\n")[1:] for part in ranks], dict(+converter.left_away)

    def replayed(self, *arguments):
        (self.path / "program.trace").write_text(self.text)
        command = [turnwise(), "replay", "program.trace", "--format", "json", *arguments]
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_messages_and_requests(self):
        archive = self.archive(2)
        world = archive.world
        archive.call(0, "MPI_Init", computed=0)
        archive.call(1, "MPI_Init", computed=0)
        archive.call(0, "MPI_Send", lambda time: events.MpiSend(time, 1, world, 7, 100))
        archive.call(1, "MPI_Irecv", lambda time: events.MpiIrecvRequest(time, 900))
        archive.call(1, "MPI_Isend", lambda time: events.MpiIsend(time, 0, world, 8, 20, 901))
        archive.call(
            1,
            "MPI_Waitall",
            lambda time: events.MpiIsendComplete(time, 901),
            lambda time: events.MpiIrecv(time, 0, world, 7, 100, 900),
        )
        archive.call(0, "MPI_Recv", lambda time: events.MpiRecv(time, 1, world, 8, 20))
        ranks, left_away = self.converted(archive)
        self.assertEqual(left_away, {})
        compute = "compute 100000"
        self.assertEqual(ranks[0], [compute, "send 1 100 7", compute, "recv 1 20 8"])
        self.assertEqual(ranks[1], [compute, "irecv 0 0 100 7", compute, "isend 1 0 20 8", compute, "wait 1 0"])
        row = self.replayed("--latency", "1000", "--overhead", "0", "--gap", "0", "--gap-per-byte", "0")
        self.assertEqual((row["messages"], row["bytes"], row["ending"]), (2, 120, "completed"))
        # Rank 1 sends after 200 ns, and its message is the last thing that happens.
        self.assertEqual(row["makespan_ns"], 1200)

    def test_sendrecv_does_not_block(self):
        archive = self.archive(2)
        for rank in range(2):
            archive.call(
                rank,
                "MPI_Sendrecv",
                lambda time, other=1 - rank: events.MpiSend(time, other, archive.world, 0, 10**6),
                lambda time, other=1 - rank: events.MpiRecv(time, other, archive.world, 0, 10**6),
            )
        ranks, _ = self.converted(archive)
        # Before the first event nothing is known of a rank.
        self.assertEqual(ranks[0], ["isend 0 1 1000000 0", "recv 1 1000000 0", "wait 0"])
        self.assertEqual(self.replayed()["ending"], "completed")

    def test_collectives_of_groups(self):
        archive = self.archive(4)
        odd = archive.communicator("odd", [3, 1])
        for rank in range(4):
            archive.collective(rank, "BARRIER", 0, 0)
            archive.collective(rank, "BCAST", 400 if rank == 2 else 0, 100, root=2)
            archive.collective(rank, "REDUCE", 100, 400 if rank == 0 else 0, root=0)
            archive.collective(rank, "ALLREDUCE", 400, 400)
            archive.collective(rank, "ALLGATHER", 400, 400)
            archive.collective(rank, "ALLTOALL", 400, 400)
            archive.collective(rank, "GATHERV", 10 * rank, 60 if rank == 1 else 0, root=1)
            archive.collective(rank, "SCAN", 8 * (4 - rank), 8 * (rank + 1))
            archive.collective(rank, "EXSCAN", 8 * (3 - rank), 8 * rank)
        for rank in (1, 3):
            archive.collective(rank, "SCATTER", 200 if rank == 3 else 0, 100, root=0, of=odd)
        ranks, left_away = self.converted(archive)
        self.assertEqual(left_away, {})
        calls = [line for line in ranks[1] if not line.startswith("compute")]
        group = 1 + odd._ref
        self.assertEqual(
            calls,
            ["barrier", "broadcast 100 2", "reduce 100 0", "all-reduce 100", "all-gather 100", "all-to-all 100",
             "gather-v 0 1 0 10 20 30", "all-reduce 8", "all-reduce 8", f"scatter 100 3 {group}"],
        )
        self.assertIn("gather-v 0 1 20", ranks[2])
        self.assertIn(f"\ngroup {group} 3 1\n", self.text)
        self.assertEqual(self.replayed()["ending"], "completed")

    def test_who_sends_in_place_counts_one_block_less(self):
        # Four ranks: three blocks of 10 bytes can be nothing else, three of 12 could be four of 9.
        for block, in_place, size, is_open in [(10, (), 10, False), (12, (), 9, True), (12, ("all-reduce",), 12, False)]:
            with self.subTest(block=block, in_place=in_place):
                self.folder.cleanup()
                self.path.mkdir()
                archive = self.archive(4)
                for rank in range(4):
                    archive.collective(rank, "ALLREDUCE", 3 * block, 3 * block)
                    archive.collective(rank, "ALLGATHERV", 3 * rank, 6 - rank)
                    archive.collective(rank, "REDUCE_SCATTER", 100 - 10 * (rank + 1), 30 * (rank + 1))
                    archive.collective(rank, "ALLTOALLV", 30 - rank, 30 - rank)
                ranks, _ = self.converted(archive, in_place)
                calls = [line for line in ranks[1] if not line.startswith("compute")]
                # All-gather of 0, 1, 2, 3 bytes: the mean, of 18 that three others of each have got.
                self.assertEqual(calls, [f"all-reduce {size}", "all-gather 1", "reduce-scatter 100", "all-to-all 7"])
                self.assertEqual(self.open, {"all-reduce": 1} if is_open else {})
                self.assertEqual(self.replayed()["ending"], "completed")

    def test_collectives_that_do_not_block_are_done_where_they_are_waited_for(self):
        archive = self.archive(3)

        def begin(rank, name, request):
            archive.call(rank, name, lambda time: events.NonBlockingCollectiveRequest(time, request))

        def complete(time, op, sent, request):
            return events.NonBlockingCollectiveComplete(time, getattr(CollectiveOp, op), archive.world, NO_ROOT, sent, sent, request)

        for rank in range(3):
            begin(rank, "MPI_Iallreduce", 70)
            begin(rank, "MPI_Ibarrier", 71)
            both = [lambda time: complete(time, "ALLREDUCE", 300, 70), lambda time: complete(time, "BARRIER", 0, 71)]
            # Whichever is noticed first.
            archive.call(rank, "MPI_Waitall", *(both if rank else reversed(both)))
            begin(rank, "MPI_Iallgather", 72)
            archive.collective(rank, "BARRIER", 0, 0)
            archive.call(rank, "MPI_Wait", lambda time: complete(time, "ALLGATHER", 60, 72))
            begin(rank, "MPI_Ibarrier", 73)
        ranks, left_away = self.converted(archive)
        for calls in ranks:
            calls = [line for line in calls if not line.startswith("compute")]
            self.assertEqual(calls, ["all-reduce 100", "barrier", "all-gather 20", "barrier"])
        self.assertEqual(left_away, {"collectives that were never completed": 3})
        self.assertEqual(self.replayed()["ending"], "completed")

    def test_who_waits_for_several_has_all_under_way(self):
        archive = self.archive(2)
        world = archive.world

        def done(time):
            return events.NonBlockingCollectiveComplete(time, CollectiveOp.ALLREDUCE, world, NO_ROOT, 200, 200, 71)

        archive.call(0, "MPI_Irecv", lambda time: events.MpiIrecvRequest(time, 70))
        for rank in range(2):
            archive.call(rank, "MPI_Iallreduce", lambda time: events.NonBlockingCollectiveRequest(time, 71))
        # The other rank sends behind the collective.
        archive.call(0, "MPI_Waitall", lambda time: events.MpiIrecv(time, 1, world, 7, 100, 70), done)
        archive.call(1, "MPI_Wait", done)
        archive.call(1, "MPI_Send", lambda time: events.MpiSend(time, 0, world, 7, 100))
        ranks, _ = self.converted(archive)
        calls = [line for line in ranks[0] if not line.startswith("compute")]
        self.assertEqual(calls, ["irecv 0 1 100 7", "all-reduce 100", "wait 0"])
        self.assertEqual(self.replayed()["ending"], "completed")

    def test_a_send_that_is_cancelled_is_none(self):
        archive = self.archive(2)
        for request in (5, 6):
            archive.call(0, "MPI_Isend", lambda time, request=request: events.MpiIsend(time, 1, archive.world, request, 100, request))
            if request == 5:
                archive.call(0, "MPI_Cancel", lambda time: events.MpiRequestCancelled(time, 5))
        archive.call(0, "MPI_Wait", lambda time: events.MpiIsendComplete(time, 6))
        archive.call(1, "MPI_Recv", lambda time: events.MpiRecv(time, 0, archive.world, 6, 100))
        ranks, _ = self.converted(archive)
        calls = [line for line in ranks[0] if not line.startswith("compute")]
        self.assertEqual(calls, ["isend 0 1 100 6", "wait 0"])
        self.assertEqual(self.replayed()["ending"], "completed")

    def test_messages_that_are_probed_first(self):
        archive = self.archive(2)
        for tag in (7, 8):
            archive.call(0, "MPI_Send", lambda time, tag=tag: events.MpiSend(time, 1, archive.world, tag, 100 + tag))
        archive.call(1, "MPI_Mprobe", lambda time: events.MpiProbe(time, 0, archive.world, 7, 1))
        archive.call(1, "MPI_Mrecv", lambda time: events.MpiMrecv(time, 1, 107))
        archive.call(1, "MPI_Mprobe", lambda time: events.MpiProbe(time, 0, archive.world, 8, 2))
        archive.call(1, "MPI_Imrecv", lambda time: events.MpiImrecvRequest(time, 2, 5))
        archive.call(1, "MPI_Wait", lambda time: events.MpiImrecv(time, 5, 108))
        ranks, left_away = self.converted(archive)
        calls = [line for line in ranks[1] if not line.startswith("compute")]
        self.assertEqual((calls, left_away), (["recv 0 107 7", "irecv 0 0 108 8", "wait 0"], {}))
        self.assertEqual(self.replayed()["ending"], "completed")

    def test_what_began_before_the_recording_is_left_away(self):
        archive = self.archive(2)
        archive.call(0, "MPI_Wait", lambda time: events.MpiIsendComplete(time, 5))
        archive.call(0, "MPI_Wait", lambda time: events.MpiIrecv(time, 1, archive.world, 7, 100, 6))
        archive.call(0, "MPI_Imrecv", lambda time: events.MpiImrecvRequest(time, 2, 9))
        archive.call(0, "MPI_Wait", lambda time: events.MpiImrecv(time, 9, 100))
        archive.call(1, "MPI_Irecv", lambda time: events.MpiIrecvRequest(time, 5))
        archive.call(1, "MPI_Cancel", lambda time: events.MpiRequestCancelled(time, 5))
        ranks, left_away = self.converted(archive)
        calls = [line for rank in ranks for line in rank if not line.startswith("compute")]
        self.assertEqual(calls, [])
        self.assertEqual(
            left_away,
            {
                "requests that were begun before the recording": 2,
                "receives of what was probed before the recording": 1,
                "requests that were cancelled": 1,
            },
        )

    def test_what_other_threads_do_is_left_away(self):
        archive = self.archive(2)
        of_rank = archive.locations[0].group
        archive.locations.append(archive.trace.definitions.location("worker", type=LocationType.CPU_THREAD, group=of_rank))
        archive.time.append(1000)
        archive.call(2, "MPI_Send", lambda time: events.MpiSend(time, 1, archive.world, 7, 100))
        _, left_away = self.converted(archive)
        self.assertEqual(left_away, {"events of MPI of threads beside the first of their process": 1})

    def test_what_was_never_completed_is_left_away(self):
        archive = self.archive(1)
        archive.call(0, "MPI_Irecv", lambda time: events.MpiIrecvRequest(time, 5))
        ranks, left_away = self.converted(archive)
        self.assertEqual((ranks, left_away), ([[]], {"receives that were never completed": 1}))

    def test_what_is_no_archive_is_refused(self):
        script = TOOLS / "otf2_to_turnwise.py"
        command = [sys.executable, script, self.path / "no.otf2", "-"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("otf2_to_turnwise: ", done.stderr)


class HelpTest(unittest.TestCase):
    def test_help_needs_no_library(self):
        # Without the packages of the site, of which the library is one.
        command = [sys.executable, "-S", TOOLS / "otf2_to_turnwise.py", "--help"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the anchor file of an OTF2 archive", done.stdout)


if __name__ == "__main__":
    unittest.main()
