#!/usr/bin/env python3
"""Makes a trace of Turnwise of an OTF2 archive, as Score-P and others write them.

    python3 -m pip install otf2
    tools/otf2_to_turnwise.py ARCHIVE/traces.otf2 program.trace
    turnwise replay program.trace

What a rank does outside of MPI is computing. Sends, receives, requests and collectives become calls; what a receive was posted
for is what it got. A collective that does not block is done where it is waited for, but before those of its communicator that
were begun later; prefix sums (scan) are played as sums. Requests that were never completed, or begun before the recording,
tests, one-sided operations, and what threads of a process do beside the first are left away, and it is said how many there were.

Bytes of collectives are as Score-P counts them: what a member sends to all and receives from all. An all-to-all whose blocks
differ counts by its mean, since an archive has no more. Nor does it say who sends in place (MPI_IN_PLACE): such a member counts
nothing for itself, n-1 blocks of n. Where bytes can be only that, they are taken so; where they can be either, as they are, and
it is said how many those were; --in-place all-reduce,all-gather takes these calls' so.

The format of traces: docs/trace-format.md. Everything is held in memory, about 200 bytes an event.
"""

import argparse
import collections
import sys
import typing

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
    "SCAN": "ALLREDUCE",
    "EXSCAN": "ALLREDUCE",
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
# How the names of events begin that are of MPI.
COMMUNICATION = ("Mpi", "Rma", "NonBlockingCollective")
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
        self.numbers = {}

    def of(self, communicator):
        """The number of a communicator's group; 0 is the world."""
        if communicator._ref not in self.numbers:
            self.numbers[communicator._ref] = self.number(communicator)
        return self.numbers[communicator._ref]

    def number(self, communicator):
        if not hasattr(communicator, "group"):
            raise Unconvertible(f"{communicator.name} is a communicator between two groups, which a trace has not")
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


class Part(typing.NamedTuple):
    """A collective as a member saw it."""

    name: str
    number: int
    members: list
    root: int | None
    sent: int
    received: int
    # Which of the member's it is, by when it was begun.
    begun: int


class Collective:
    """One collective of a group, as its members saw it."""

    def __init__(self, name, members):
        self.name = name
        self.members = members
        self.sent = {}
        self.received = {}
        # Has a member counted nothing for itself? None if that cannot be told.
        self.in_place = False

    def settle(self, taken):
        """Finds out whether it was in place, `taken` if it can be either."""
        count = len(self.members)
        kind = SAME.get(self.name, self.name)
        if kind not in ("ALLREDUCE", "ALLGATHER", "ALLTOALL", "REDUCE_SCATTER") or self.name in ("SCAN", "EXSCAN"):
            return
        if self.name in ("ALLTOALLV", "ALLTOALLW"):
            # Blocks are of all lengths: bytes tell nothing.
            self.in_place = taken
            return
        # What blocks of different lengths come to is divisible only where all members are taken together.
        counted = sum(self.sent.values()) if self.name in ("ALLGATHERV", "REDUCE_SCATTER") else max(self.sent.values())
        same = {"ALLGATHERV": self.received, "REDUCE_SCATTER": self.sent}.get(self.name, {})
        whole, less = counted % count == 0, counted % (count - 1) == 0
        if counted and (len(set(same.values())) > 1 or (less and not whole)):
            self.in_place = True
        elif counted and less:
            self.in_place = taken or None

    def line(self, rank, number, root):
        """The call of a member."""
        kind = SAME.get(self.name, self.name)
        call, has_root = CALLS[kind]
        members, count = self.members, len(self.members)
        # How often a member has counted a block.
        times = count - 1 if self.in_place else count
        of_group = f" {number}" if number else ""
        if self.name in ("GATHERV", "SCATTERV"):
            own = self.sent if kind == "GATHER" else self.received
            # What the root keeps for itself is no message.
            all_of_them = [own.get(member, 0) for member in members] if rank == root else [own[rank]]
            return f"{call}-v {number} {root} " + " ".join(map(str, all_of_them))
        others = [rank for rank in members if rank != root] or members
        sent, received = self.sent, self.received
        size = {
            "BARRIER": lambda: "",
            "BCAST": lambda: max(received.values()),
            "REDUCE": lambda: max(sent.get(rank, 0) for rank in others),
            "ALLREDUCE": lambda: max(sent.values()) // times,
            "GATHER": lambda: max(sent.get(rank, 0) for rank in others),
            "SCATTER": lambda: max(received.get(rank, 0) for rank in others),
            "ALLGATHER": lambda: sum(received.values()) // count // times,
            "ALLTOALL": lambda: sum(sent.values()) // count // times,
            "REDUCE_SCATTER": lambda: sum(sent.values()) // times,
        }[kind]
        if self.name in ("SCAN", "EXSCAN"):
            # Each member sends to those behind it.
            size = lambda: sent.get(members[0], 0) - sent.get(members[1], 0)
        words = [call, str(size())] if kind != "BARRIER" else [call]
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
        # By request, the line of a receive whose message is not known yet, and that of a send.
        self.posted = {}
        self.sent = {}
        # How many lines there were when its call of MPI began.
        self.before = 0
        # By number of a message that has been probed, from whom, with which tag and in which group it is.
        self.probed = {}
        self.sendrecv = None
        # How many collectives it has begun, by request those that do not block, and by group where their lines are.
        self.begun = 0
        self.begun_requests = {}
        self.collectives = collections.defaultdict(list)
        self.latest = collections.Counter()

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

    def begin(self):
        """The number of the collective that it begins."""
        self.begun += 1
        return self.begun

    def add(self, part):
        """Puts a collective behind all that is there, or before those of its group that were begun later."""
        places = self.collectives[part.number]
        if part.begun > self.latest[part.number]:
            self.latest[part.number] = part.begun
            # Whoever waits for several has all of them under way, also what others send only behind the collective.
            waits = self.lines.pop() if self.waits_since(self.before) else None
            places.append(len(self.lines))
            self.lines.extend([[part]] if waits is None else [[part], waits])
            return
        for place in reversed(places):
            if max(other.begun for other in self.lines[place]) < part.begun:
                break
            later = place
        self.lines[later] = sorted([*self.lines[later], part], key=lambda part: part.begun)

    def waits_since(self, line):
        """Is the last line of waiting, and none of those before this one?"""
        last = self.lines[-1] if len(self.lines) > line else None
        return isinstance(last, str) and last.startswith("wait ")

    def forget(self, request):
        """Nothing will come of a request."""
        number = self.requests.pop(request, None)
        self.posted.pop(request, None)
        line = self.sent.pop(request, None)
        if line is not None:
            self.lines[line] = None
        if number is not None:
            self.free.append(number)

    def wait(self, number):
        self.free.append(number)
        if self.lines and isinstance(self.lines[-1], str) and self.lines[-1].startswith("wait "):
            self.lines[-1] += f" {number}"
        else:
            self.lines.append(f"wait {number}")


class Converter:
    """Reads events, and writes calls."""

    def __init__(self, definitions, ticks, in_place=()):
        self.ticks = ticks
        self.in_place = in_place
        self.groups = Groups(definitions)
        self.all = [Rank(rank) for rank in range(len(self.groups.ranks))]
        self.collectives = {}
        self.left_away = collections.Counter()
        # Collectives that may have been in place.
        self.open = collections.Counter()

    def event(self, location, event):
        number = self.groups.ranks.get(location._ref)
        if number is None:
            if type(event).__name__.startswith(COMMUNICATION):
                self.left_away["events of MPI of threads beside the first of their process"] += 1
            return
        rank = self.all[number]
        if isinstance(event, events.Enter):
            if event.region.paradigm == Paradigm.MPI:
                rank.compute(event.time, self.ticks)
                rank.depth += 1
                rank.before = len(rank.lines)
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
        if not type(event).__name__.startswith(COMMUNICATION):
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
            rank.sent[event.request_id] = len(rank.lines)
            rank.lines.append(f"isend {request} {self.message(rank, event, event.receiver)}")
        elif isinstance(event, events.MpiIrecvRequest):
            rank.open(event.request_id)
            rank.posted[event.request_id] = len(rank.lines)
            rank.lines.append(None)
        elif isinstance(event, events.MpiIrecv):
            self.received(rank, event, self.message(rank, event, event.sender))
        elif isinstance(event, events.MpiProbe):
            group = self.groups.of(event.communicator)
            peer = self.groups.rank(event.communicator, event.sender, rank.rank)
            rank.probed[event.message_id] = (peer, event.tag, f" {group}" if group else "")
        elif isinstance(event, events.MpiMrecv):
            message = self.probed(rank, event.message_id, event.msg_length)
            rank.lines.extend([f"recv {message}"] if message else [])
        elif isinstance(event, events.MpiImrecvRequest):
            rank.open(event.request_id)
            rank.posted[event.request_id] = len(rank.lines)
            # What it is to receive is known by its request from here on.
            rank.probed[event.request_id, "request"] = rank.probed.pop(event.message_id, None)
            rank.lines.append(None)
        elif isinstance(event, events.MpiImrecv):
            message = self.probed(rank, (event.request_id, "request"), event.msg_length)
            if message:
                self.received(rank, event, message)
            else:
                rank.forget(event.request_id)
        elif isinstance(event, events.MpiIsendComplete):
            if event.request_id in rank.requests:
                rank.wait(rank.requests.pop(event.request_id))
                rank.sent.pop(event.request_id, None)
            else:
                self.left_away["requests that were begun before the recording"] += 1
        elif isinstance(event, events.MpiRequestCancelled):
            rank.forget(event.request_id)
            rank.begun_requests.pop(event.request_id, None)
            self.left_away["requests that were cancelled"] += 1
        elif isinstance(event, events.MpiCollectiveEnd):
            self.collective(rank, event, rank.begin())
        elif isinstance(event, events.NonBlockingCollectiveRequest):
            rank.begun_requests[event.request_id] = rank.begin()
        elif isinstance(event, events.NonBlockingCollectiveComplete):
            begun = rank.begun_requests.pop(event.request_id, None)
            if begun is None:
                self.left_away["requests that were begun before the recording"] += 1
            else:
                self.collective(rank, event, begun)
        elif not isinstance(event, (events.MpiCollectiveBegin, events.MpiRequestTest)):
            self.left_away[type(event).__name__] += 1

    def received(self, rank, event, message):
        """A receive is done, and so it is known what it was posted for."""
        if event.request_id not in rank.posted:
            self.left_away["requests that were begun before the recording"] += 1
            return
        request = rank.requests.pop(event.request_id)
        rank.lines[rank.posted.pop(event.request_id)] = f"irecv {request} {message}"
        rank.wait(request)

    def probed(self, rank, number, length):
        """What a message says that has been probed before it is received."""
        of = rank.probed.pop(number, None)
        if of is None:
            self.left_away["receives of what was probed before the recording"] += 1
            return None
        peer, tag, group = of
        return f"{peer} {length} {tag}{group}"

    def collective(self, rank, event, begun):
        # The library's enumerations have no names but in words: CollectiveOp.BARRIER.
        name = str(event.collective_op).rpartition(".")[2]
        if name in SILENT:
            return
        number = self.groups.of(event.communicator)
        members = self.groups.members.get(number) if number else list(range(len(self.all)))
        if not members or len(members) == 1:
            return
        if SAME.get(name, name) not in CALLS:
            self.left_away[f"collectives of the kind {name}"] += 1
            return
        _, has_root = CALLS[SAME.get(name, name)]
        root = members[event.root] if has_root else None
        rank.add(Part(name, number, members, root, event.size_sent, event.size_received, begun))

    def gather(self):
        """Brings together what the members of groups say of the same collective."""
        for rank in self.all:
            rank.parts = {}
            for number, places in rank.collectives.items():
                parts = [part for place in places for part in rank.lines[place]]
                for index, part in enumerate(parts):
                    new = Collective(part.name, part.members)
                    collective = self.collectives.setdefault((number, index), new)
                    if collective.name != part.name:
                        message = (
                            f"rank {rank.rank}'s collective {index + 1} of communicator {number} is {part.name}, "
                            f"another's is {collective.name}"
                        )
                        raise Unconvertible(message)
                    collective.sent[rank.rank] = part.sent
                    collective.received[rank.rank] = part.received
                    rank.parts[number, part.begun] = collective
        for collective in self.collectives.values():
            call, _ = CALLS[SAME.get(collective.name, collective.name)]
            collective.settle(call in self.in_place)
            if collective.in_place is None:
                self.open[call] += 1

    def write(self, out):
        out.write(f"turnwise-trace 1\nranks {len(self.all)}\ntime ps\ncontent calls\n")
        for number, members in sorted(self.groups.members.items()):
            out.write(f"group {number} {' '.join(map(str, members))}\n")
        for rank in self.all:
            out.write(f"rank {rank.rank}\n")
            for line in rank.lines:
                if isinstance(line, list):
                    for part in line:
                        collective = rank.parts[part.number, part.begun]
                        out.write(collective.line(rank.rank, part.number, part.root) + "\n")
                elif line is not None:
                    out.write(line + "\n")
        out.write("end\n")


def read(archive, in_place=()):
    """All that an archive says, ready to be written; calls that are taken to be in place where they may be."""
    with otf2.reader.open(archive) as trace:
        converter = Converter(trace.definitions, trace.timer_resolution, in_place)
        for location, event in trace.events:
            converter.event(location, event)
    for rank in converter.all:
        converter.left_away["receives that were never completed"] += len(rank.posted)
        converter.left_away["collectives that were never completed"] += len(rank.begun_requests)
    converter.gather()
    return converter


def calls_in_place(text):
    """The names of calls that the user wants to be taken as in place."""
    calls = text.split(",")
    known = ["all-reduce", "all-gather", "all-to-all", "reduce-scatter"]
    for call in calls:
        if call not in known:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}, found {call!r}")
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", help="the anchor file of an OTF2 archive: traces.otf2")
    parser.add_argument("trace", help="where to write the trace; - is standard output")
    parser.add_argument(
        "--in-place", metavar="CALLS", type=calls_in_place, default=[], help="calls whose bytes are n-1 blocks of n where they may be"
    )
    arguments = parser.parse_args()
    if otf2 is None:
        sys.exit("otf2_to_turnwise: this needs the library of OTF2: python3 -m pip install otf2")
    try:
        converter = read(arguments.archive, arguments.in_place)
        if arguments.trace == "-":
            converter.write(sys.stdout)
        else:
            with open(arguments.trace, "w", encoding="ascii") as out:
                converter.write(out)
    except (Unconvertible, OSError, Error, LibraryError) as error:
        sys.exit(f"otf2_to_turnwise: {arguments.archive}: {error}")
    for name, count in sorted((+converter.left_away).items()):
        print(f"otf2_to_turnwise: left away: {count} {name}", file=sys.stderr)
    for call, count in sorted(converter.open.items()):
        message = f"{count} {call} may have been in place, and are taken as not; --in-place {call} takes them so"
        print(f"otf2_to_turnwise: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
