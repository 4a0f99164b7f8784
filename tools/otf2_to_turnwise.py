#!/usr/bin/env python3
"""Makes a trace of Turnwise of an OTF2 archive, as Score-P and others write them.

    python3 -m pip install otf2
    tools/otf2_to_turnwise.py ARCHIVE/traces.otf2 program.trace
    turnwise replay program.trace

What a rank does outside of MPI is computing. Sends, receives, requests and collectives become calls; what a receive was posted
for is what it got. Requests that were never completed, tests, probes and one-sided operations are left away, and it is said how
many there were.

Bytes of collectives are as Score-P counts them: what a member sends to all and receives from all. An all-to-all whose blocks
differ counts by its mean, since an archive has no more.

The format of traces: docs/trace-format.md. Everything is held in memory, about 200 bytes an event.
"""

import argparse
import collections
import sys

try:
    import otf2
    from _otf2.ErrorCodes import Error as LibraryError
    from otf2 import events
    from otf2.enums import GroupType, Paradigm
    from otf2.error import Error
except ImportError:
    # What it is for can be asked without.
    otf2 = None
    LibraryError = Error = OSError

PICOSECONDS = 10**12

# Names of collectives that are the same but for lengths.
SAME = {
    "GATHERV": "GATHER",
    "SCATTERV": "SCATTER",
    "ALLGATHERV": "ALLGATHER",
    "ALLTOALLV": "ALLTOALL",
    "ALLTOALLW": "ALLTOALL",
    "REDUCE_SCATTER_BLOCK": "REDUCE_SCATTER",
}
# What they are called in a trace, and whether they have a root.
CALLS = {
    "BARRIER": ("barrier", False),
    "BCAST": ("broadcast", True),
    "REDUCE": ("reduce", True),
    "ALLREDUCE": ("all-reduce", False),
    "GATHER": ("gather", True),
    "SCATTER": ("scatter", True),
    "ALLGATHER": ("all-gather", False),
    "ALLTOALL": ("all-to-all", False),
    "REDUCE_SCATTER": ("reduce-scatter", False),
}
# Collective in OTF2, and no communication of their own here.
SILENT = {"CREATE_HANDLE", "DESTROY_HANDLE", "CREATE_HANDLE_AND_ALLOCATE", "DEALLOCATE_AND_DESTROY_HANDLE", "ALLOCATE", "DEALLOCATE"}


class Unconvertible(Exception):
    """What a trace cannot say."""


class Groups:
    """Communicators as groups of ranks of the world."""

    def __init__(self, definitions):
        worlds = [
            group
            for group in definitions.groups
            if group.group_type == GroupType.COMM_LOCATIONS and group.paradigm == Paradigm.MPI
        ]
        if len(worlds) != 1:
            raise Unconvertible(f"expected one group of MPI's locations, found {len(worlds)}: is this a trace of an MPI program?")
        self.ranks = {location._ref: rank for rank, location in enumerate(worlds[0].members)}
        self.members = {}

    def of(self, communicator):
        """The number of a communicator's group; 0 is the world."""
        ranks = [self.ranks[location._ref] for location in communicator.group.members]
        if communicator.name == "MPI_COMM_WORLD" and ranks == list(range(len(self.ranks))):
            return 0
        number = communicator._ref + 1
        if ranks:
            self.members[number] = ranks
        return number

    def rank(self, communicator, member, me):
        """The rank of a member; a communicator of one rank lists nobody."""
        members = communicator.group.members
        return self.ranks[members[member]._ref] if members else me


class Collective:
    """One collective of a group, as its members saw it."""

    def __init__(self, name):
        self.name = name
        self.sent = {}
        self.received = {}

    def line(self, rank, number, members, root):
        """The call of a member."""
        kind = SAME.get(self.name, self.name)
        call, has_root = CALLS[kind]
        count = len(members)
        sent, received = max(self.sent.values()), max(self.received.values())
        of_group = f" {number}" if number else ""
        if self.name in ("GATHERV", "SCATTERV"):
            own = self.sent if kind == "GATHER" else self.received
            # What the root keeps for itself is no message.
            all_of_them = [own.get(member, 0) for member in members] if rank == root else [own[rank]]
            return f"{call}-v {number} {root} " + " ".join(map(str, all_of_them))
        others = [rank for rank in members if rank != root] or members
        size = {
            "BARRIER": lambda: "",
            "BCAST": lambda: received,
            "REDUCE": lambda: max(self.sent.get(rank, 0) for rank in others),
            "ALLREDUCE": lambda: sent // count,
            "GATHER": lambda: max(self.sent.get(rank, 0) for rank in others),
            "SCATTER": lambda: max(self.received.get(rank, 0) for rank in others),
            "ALLGATHER": lambda: received // count,
            "ALLTOALL": lambda: sum(self.sent.values()) // count**2,
            "REDUCE_SCATTER": lambda: sent,
        }[kind]()
        words = [call, str(size)] if kind != "BARRIER" else [call]
        return " ".join(words + ([str(root)] if has_root else [])) + of_group


class Rank:
    """What one rank did, as lines, with what must be filled in later."""

    def __init__(self, rank):
        self.rank = rank
        self.lines = []
        self.depth = 0
        self.since = None
        self.requests = {}
        self.next = 0
        self.free = []
        # By request, the line of a receive whose message is not known yet.
        self.posted = {}
        self.sendrecv = None
        self.collectives = collections.Counter()

    def compute(self, time, ticks):
        """What it did until now was computing."""
        if self.since is not None and self.depth == 0:
            picoseconds = (time - self.since) * PICOSECONDS // ticks
            before = self.lines[-1] if self.lines else None
            if isinstance(before, str) and before.startswith("compute "):
                picoseconds += int(before.removeprefix("compute "))
                self.lines.pop()
            if picoseconds > 0:
                self.lines.append(f"compute {picoseconds}")
        self.since = time

    def open(self, request):
        number = self.free.pop() if self.free else self.next
        self.next = max(self.next, number + 1)
        if request is not None:
            self.requests[request] = number
        return number

    def wait(self, number):
        self.free.append(number)
        if self.lines and isinstance(self.lines[-1], str) and self.lines[-1].startswith("wait "):
            self.lines[-1] += f" {number}"
        else:
            self.lines.append(f"wait {number}")


class Converter:
    """Reads events, and writes calls."""

    def __init__(self, definitions, ticks):
        self.ticks = ticks
        self.groups = Groups(definitions)
        self.all = [Rank(rank) for rank in range(len(self.groups.ranks))]
        self.collectives = {}
        self.left_away = collections.Counter()

    def event(self, location, event):
        number = self.groups.ranks.get(location._ref)
        if number is None:
            return
        rank = self.all[number]
        if isinstance(event, events.Enter):
            if event.region.paradigm == Paradigm.MPI:
                rank.compute(event.time, self.ticks)
                rank.depth += 1
                if "sendrecv" in event.region.name.lower():
                    rank.sendrecv = []
            elif rank.since is None:
                rank.since = event.time
        elif isinstance(event, events.Leave):
            if event.region.paradigm == Paradigm.MPI:
                rank.depth = max(rank.depth - 1, 0)
                rank.since = event.time
                for request in rank.sendrecv or []:
                    rank.wait(request)
                rank.sendrecv = None
        else:
            self.call(rank, event)

    def message(self, rank, event, other):
        group = self.groups.of(event.communicator)
        peer = self.groups.rank(event.communicator, other, rank.rank)
        return f"{peer} {event.msg_length} {event.msg_tag}" + (f" {group}" if group else "")

    def call(self, rank, event):
        if not type(event).__name__.startswith(("Mpi", "Rma")):
            return
        rank.compute(event.time, self.ticks)
        if isinstance(event, events.MpiSend):
            message = self.message(rank, event, event.receiver)
            if rank.sendrecv is None:
                rank.lines.append(f"send {message}")
            else:
                request = rank.open(None)
                rank.sendrecv.append(request)
                rank.lines.append(f"isend {request} {message}")
        elif isinstance(event, events.MpiRecv):
            rank.lines.append(f"recv {self.message(rank, event, event.sender)}")
        elif isinstance(event, events.MpiIsend):
            request = rank.open(event.request_id)
            rank.lines.append(f"isend {request} {self.message(rank, event, event.receiver)}")
        elif isinstance(event, events.MpiIrecvRequest):
            rank.open(event.request_id)
            rank.posted[event.request_id] = len(rank.lines)
            rank.lines.append(None)
        elif isinstance(event, events.MpiIrecv):
            request = rank.requests.pop(event.request_id)
            rank.lines[rank.posted.pop(event.request_id)] = f"irecv {request} {self.message(rank, event, event.sender)}"
            rank.wait(request)
        elif isinstance(event, events.MpiIsendComplete):
            rank.wait(rank.requests.pop(event.request_id))
        elif isinstance(event, events.MpiCollectiveEnd):
            self.collective(rank, event)
        elif not isinstance(event, (events.MpiCollectiveBegin, events.MpiRequestTest)):
            self.left_away[type(event).__name__] += 1

    def collective(self, rank, event):
        # The library's enumerations have no names but in words: CollectiveOp.BARRIER.
        name = str(event.collective_op).rpartition(".")[2]
        if name in SILENT:
            return
        number = self.groups.of(event.communicator)
        members = self.groups.members.get(number) if number else list(range(len(self.all)))
        if not members or len(members) == 1:
            return
        if SAME.get(name, name) not in CALLS:
            self.left_away[f"MpiCollectiveEnd of {name}"] += 1
            return
        index = rank.collectives[number]
        rank.collectives[number] += 1
        collective = self.collectives.setdefault((number, index), Collective(name))
        if collective.name != name:
            message = f"rank {rank.rank}'s collective {index + 1} of communicator {number} is {name}, another's is {collective.name}"
            raise Unconvertible(message)
        collective.sent[rank.rank] = event.size_sent
        collective.received[rank.rank] = event.size_received
        _, has_root = CALLS[SAME.get(name, name)]
        root = members[event.root] if has_root else None
        rank.lines.append((collective, number, members, root))

    def write(self, out):
        out.write(f"turnwise-trace 1\nranks {len(self.all)}\ntime ps\ncontent calls\n")
        for number, members in sorted(self.groups.members.items()):
            out.write(f"group {number} {' '.join(map(str, members))}\n")
        for rank in self.all:
            out.write(f"rank {rank.rank}\n")
            for line in rank.lines:
                if isinstance(line, tuple):
                    collective, *rest = line
                    line = collective.line(rank.rank, *rest)
                if line is not None:
                    out.write(line + "\n")
        out.write("end\n")


def read(archive):
    """All that an archive says, ready to be written."""
    with otf2.reader.open(archive) as trace:
        converter = Converter(trace.definitions, trace.timer_resolution)
        for location, event in trace.events:
            converter.event(location, event)
    for rank in converter.all:
        converter.left_away["receives that were never completed"] += len(rank.posted)
    return converter


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", help="the anchor file of an OTF2 archive: traces.otf2")
    parser.add_argument("trace", help="where to write the trace; - is standard output")
    arguments = parser.parse_args()
    if otf2 is None:
        sys.exit("otf2_to_turnwise: this needs the library of OTF2: python3 -m pip install otf2")
    try:
        converter = read(arguments.archive)
        if arguments.trace == "-":
            converter.write(sys.stdout)
        else:
            with open(arguments.trace, "w", encoding="ascii") as out:
                converter.write(out)
    except (Unconvertible, OSError, Error, LibraryError) as error:
        sys.exit(f"otf2_to_turnwise: {arguments.archive}: {error}")
    for name, count in sorted((+converter.left_away).items()):
        print(f"otf2_to_turnwise: left away: {count} {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
