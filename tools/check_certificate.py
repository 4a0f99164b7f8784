#!/usr/bin/env python3
"""Checks a Turnwise certificate of freedom from deadlock, without trusting Turnwise.

    check_certificate.py CERTIFICATE.json [--paths PATHS.csv]

A certificate numbers the virtual channels of a network. If every dependency (a packet
holds one virtual channel while it asks for another) leads to a higher number, packets
cannot wait for each other in a circle (Dally and Seitz, IEEE Trans. Computers 36(5), 1987).
Under bubble flow control dependencies along a closed ring of one dimension are excused;
the channels of such a ring share one number. A packet that goes on along its ring and may stay in its
virtual channel need not wait for others there, since its ring turns: such changes are "optional".

A certificate with an "escape" proves an adaptive routing whose packets may wait for each other
in circles, but can always turn to the virtual channels listed there, which lead them to their
destinations (Duato, IEEE TPDS 4(12), 1993). Its dependencies are those of the extended graph:
a packet can hold one virtual channel of the escape, and later, after any that are not, be
offered another. It holds for virtual cut-through, where all dependencies join channels that
meet, and for wormhole routers whose buffers never hold flits of two packets.

Where terminals answer messages with others ("answers": messages of one class may wait at a
terminal until it has sent messages of another), the terminals' channels are virtual channels like
all others: an injection channel for each, then an ejection channel for each, behind the channels between
routers. "terminals" says for each answer on which virtual channels of a terminal's ejection channel such
messages come, and on which of its injection channel the answers are sent.

Checked: no port has two channels one way; every optional dependency goes straight on, from one virtual channel to another, beside one that stays in it;
every terminal's ejection channel waits for its injection channel exactly as the answers say;
every dependency joins channels that meet at a router (of an escape under wormhole flow control they need not), and those of an
escape are its own; every declared ring is one;
every dependency increases; and the numbering is the canonical one, in which a number is
the length of the longest chain of dependencies that ends there; and the digest is that of
what it is about and of all it lists, so that nothing was altered. With --paths also: every
two consecutive hops of every path (columns source, destination, hop, router, port,
next_router, vc) are a listed dependency, optional or not, or one of them is no escape. A row without next_router is an ejection:
where terminals answer, the last hop waits for it if it waits for answers, and the terminal's own channel for the first
hop if somebody waits for all of its virtual channels.

That an escape offers something wherever a packet may be is not checked: it is what Turnwise has found.

Exit status: 0 accepted, 1 refused, 2 unreadable or malformed.
"""

import argparse
import csv
import hashlib
import json
import sys
from dataclasses import dataclass

FORMAT = "turnwise-certificate"
VERSION = 3
VERSION_WITH_ANSWERS = 4
VERSION_WITH_OPTIONAL = 5
FLOW_CONTROLS = ("wormhole", "virtual-cut-through", "bubble", "ethernet")


class Refused(Exception):
    """The certificate can be read but proves nothing."""


class Malformed(Exception):
    """The file is not a certificate or not a table of paths."""


@dataclass(frozen=True)
class Channel:
    """Ends are router numbers, or "terminal 5"."""

    source: object
    source_port: int
    target: object
    target_port: int
    kind: str


@dataclass(frozen=True)
class Terminal:
    router: int
    port: int
    exchanges: list[tuple[int, int]]
    """For each answer, as bit masks: the virtual channels messages come on, and those answers are sent on."""


@dataclass
class Certificate:
    flow_control: str
    vcs: int
    channels: list[Channel]
    answers: list[tuple[int, int]]
    terminals: list[Terminal]
    rings: list[list[int]]
    one_packet_buffers: bool
    escape: list[int]
    dependencies: list[tuple[int, int]]
    optional: list[tuple[int, int]]
    numbers: list[int]
    network: str
    routing: str
    digest: str

    def channel(self, vertex: int) -> Channel:
        number = vertex // self.vcs
        if number < len(self.channels):
            return self.channels[number]
        number -= len(self.channels)
        count = len(self.terminals)
        terminal = self.terminals[number % count]
        name = f"terminal {number % count}"
        if number < count:
            return Channel(name, 0, terminal.router, terminal.port, "injection")
        return Channel(terminal.router, terminal.port, name, 0, "ejection")

    def vertex_count(self) -> int:
        return (len(self.channels) + 2 * len(self.terminals)) * self.vcs

    def ends_at_terminal(self, vertex: int) -> bool:
        return vertex // self.vcs >= len(self.channels) + len(self.terminals)

    def name(self, vertex: int) -> str:
        channel = self.channel(vertex)
        source = channel.source if isinstance(channel.source, str) else f"router {channel.source}"
        place = f"{source} -> {channel.target} [{channel.kind}] VC {vertex % self.vcs}"
        return f"vertex {vertex} ({place})"

    def arrow(self, dependency: tuple[int, int]) -> str:
        held, wanted = dependency
        return (
            f"dependency {self.name(held)} numbered {self.numbers[held]}"
            f" -> {self.name(wanted)} numbered {self.numbers[wanted]}"
        )


def is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def read_certificate(path: str) -> Certificate:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise Malformed(f"{path}: {error}") from error
    return parse_certificate(document)


def parse_certificate(document: object) -> Certificate:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise Malformed(f'not a certificate: "format" is not "{FORMAT}"')
    version = document.get("version")
    if version not in (VERSION, VERSION_WITH_ANSWERS, VERSION_WITH_OPTIONAL):
        raise Malformed(f"version {version!r} is unknown, expected {VERSION} to {VERSION_WITH_OPTIONAL}")
    has_optional = version == VERSION_WITH_OPTIONAL
    has_answers = version == VERSION_WITH_ANSWERS or has_optional and "answers" in document
    if not has_optional and "optional" in document:
        raise Malformed(f"version {version} knows nothing optional")
    if not has_answers and ("answers" in document or "terminals" in document):
        raise Malformed(f"version {version} knows no answers")
    answers = [parse_answer(index, row) for index, row in enumerate(rows(document, "answers"))] if has_answers else []
    if has_answers and not answers:
        raise Malformed(f"version {version} without answers")
    optional = [parse_dependency("optional", *row) for row in enumerate(rows(document, "optional"))] if has_optional else []
    if has_optional and not optional:
        raise Malformed(f"version {version} with nothing optional")
    flow_control = document.get("flow_control")
    if flow_control not in FLOW_CONTROLS:
        raise Malformed(f"unknown flow_control {flow_control!r}")
    vcs = document.get("virtual_channels")
    if not is_count(vcs) or vcs == 0:
        raise Malformed('"virtual_channels" is not a positive integer')
    one_packet_buffers = document.get("one_packet_buffers")
    if not isinstance(one_packet_buffers, bool):
        raise Malformed('"one_packet_buffers" is neither true nor false')
    numbers = rows(document, "numbers")
    for vertex, number in enumerate(numbers):
        if type(number) is not int:
            raise Malformed(f"numbers[{vertex}] is not an integer: {number!r}")
    return Certificate(
        flow_control=flow_control,
        vcs=vcs,
        channels=[parse_channel(index, row) for index, row in enumerate(rows(document, "channels"))],
        answers=answers,
        terminals=[
            parse_terminal(index, row, len(answers), vcs)
            for index, row in enumerate(rows(document, "terminals") if has_answers else [])
        ],
        rings=[parse_vertices("rings", index, row) for index, row in enumerate(rows(document, "rings"))],
        one_packet_buffers=one_packet_buffers,
        escape=parse_escape(rows(document, "escape")),
        dependencies=[parse_dependency("dependencies", *row) for row in enumerate(rows(document, "dependencies"))],
        optional=optional,
        numbers=numbers,
        network=text(document, "network"),
        routing=text(document, "routing"),
        digest=text(document, "sha256"),
    )


def text(document: dict, field: str) -> str:
    value = document.get(field)
    if not isinstance(value, str):
        raise Malformed(f'"{field}" is missing or not a text')
    return value


def rows(document: dict, field: str) -> list:
    value = document.get(field)
    if not isinstance(value, list):
        raise Malformed(f'"{field}" is missing or not a list')
    return value


def parse_channel(index: int, row: object) -> Channel:
    shape = "[id, from_router, from_port, to_router, to_port, class]"
    if not isinstance(row, list) or len(row) != 6:
        raise Malformed(f"channels[{index}] is not {shape}")
    number, *ends, kind = row
    if not (all(is_count(end) for end in ends) and isinstance(kind, str)):
        raise Malformed(f"channels[{index}] is not {shape}")
    if number != index or type(number) is not int:
        raise Malformed(f"channels[{index}] has id {number!r}, expected {index}")
    return Channel(*ends, kind)


def parse_answer(index: int, row: object) -> tuple[int, int]:
    if not isinstance(row, list) or len(row) != 2 or not all(is_count(one) for one in row):
        raise Malformed(f"answers[{index}] is not [class_received, class_sent]")
    return (row[0], row[1])


def parse_terminal(index: int, row: object, answers: int, vcs: int) -> Terminal:
    shape = f"[id, router, port, [[vcs_received, vcs_sent], ...]] with {answers} pairs"
    if not isinstance(row, list) or len(row) != 4:
        raise Malformed(f"terminals[{index}] is not {shape}")
    number, router, port, pairs = row
    if number != index or type(number) is not int:
        raise Malformed(f"terminals[{index}] has id {number!r}, expected {index}")
    if not (is_count(router) and is_count(port) and isinstance(pairs, list) and len(pairs) == answers):
        raise Malformed(f"terminals[{index}] is not {shape}")
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(is_count(mask) for mask in pair):
            raise Malformed(f"terminals[{index}] is not {shape}")
        if any(mask >> vcs for mask in pair):
            raise Malformed(f"terminals[{index}] names virtual channels that there are not: {pair}")
    return Terminal(router, port, [(pair[0], pair[1]) for pair in pairs])


def parse_vertices(field: str, index: int, row: object) -> list[int]:
    if not isinstance(row, list) or not all(is_count(vertex) for vertex in row):
        raise Malformed(f"{field}[{index}] is not a list of vertices")
    return row


def parse_escape(row: list) -> list[int]:
    if not all(is_count(vertex) for vertex in row):
        raise Malformed('"escape" is not a list of vertices')
    return row


def parse_dependency(field: str, index: int, row: object) -> tuple[int, int]:
    vertices = parse_vertices(field, index, row)
    if len(vertices) != 2:
        raise Malformed(f"{field}[{index}] is not [from_vertex, to_vertex]")
    return (vertices[0], vertices[1])


def check(certificate: Certificate) -> None:
    """Refuses the certificate unless it is a canonical proof and as it was written."""
    check_channels(certificate)
    check_vertices(certificate)
    check_terminals(certificate)
    next_in_ring = check_rings(certificate)
    check_escape(certificate)
    check_optional(certificate)
    ring_of = {vertex: number for number, ring in enumerate(certificate.rings) for vertex in ring}
    outside = []
    for dependency in certificate.dependencies:
        held, wanted = dependency
        if held in ring_of and ring_of[held] == ring_of.get(wanted):
            if next_in_ring[held] != wanted:
                raise Refused(f"refuted: a ring excuses only steps along it: {certificate.arrow(dependency)}")
        else:
            outside.append(dependency)
    check_increase(certificate, outside)
    check_canonical(certificate, outside)
    if digest(certificate) != certificate.digest:
        raise Refused("refused: the digest is not that of the certificate (altered?)")


def digest(certificate: Certificate) -> str:
    """SHA-256 of what the certificate is about and of all it lists, one row a line."""
    found = hashlib.sha256()

    def line(*words: object) -> None:
        found.update((" ".join(map(str, words)) + "\n").encode("utf-8", "surrogatepass"))

    line("network", certificate.network)
    line("routing", certificate.routing)
    line("flow_control", certificate.flow_control)
    line("one_packet_buffers", "true" if certificate.one_packet_buffers else "false")
    line("virtual_channels", certificate.vcs)
    line("channels")
    for number, channel in enumerate(certificate.channels):
        line(number, channel.source, channel.source_port, channel.target, channel.target_port, channel.kind)
    if certificate.answers:
        line("answers")
        for answer in certificate.answers:
            line(*answer)
        line("terminals")
        for number, terminal in enumerate(certificate.terminals):
            masks = [mask for pair in terminal.exchanges for mask in pair]
            line(number, terminal.router, terminal.port, *masks)
    line("rings")
    for ring in certificate.rings:
        line(*ring)
    line("escape")
    for vertex in certificate.escape:
        line(vertex)
    line("dependencies")
    for dependency in certificate.dependencies:
        line(*dependency)
    if certificate.optional:
        line("optional")
        for dependency in certificate.optional:
            line(*dependency)
    line("numbers")
    for vertex_number in certificate.numbers:
        line(vertex_number)
    return found.hexdigest()


def check_channels(certificate: Certificate) -> None:
    """Checks that a port has one channel each way, so that who leaves by it is known."""
    for end in ("source", "target"):
        seen = set()
        for channel in certificate.channels:
            port = (getattr(channel, end), getattr(channel, f"{end}_port"))
            if port in seen:
                raise Refused(f"refused: router {port[0]}, port {port[1]} is the {end} of two channels")
            seen.add(port)


def check_vertices(certificate: Certificate) -> None:
    count = certificate.vertex_count()
    if len(certificate.numbers) != count:
        raise Refused(f"refused: {len(certificate.numbers)} numbers for {count} vertices")
    seen = set()
    is_indirect = certificate.escape and certificate.flow_control == "wormhole"
    listed = [("dependencies", *row) for row in enumerate(certificate.dependencies)]
    listed += [("optional", *row) for row in enumerate(certificate.optional)]
    for field, index, dependency in listed:
        for vertex in dependency:
            if vertex >= count:
                raise Refused(f"refused: {field}[{index}] names vertex {vertex}, which does not exist")
        held, wanted = dependency
        direct = not is_indirect or certificate.ends_at_terminal(held)
        if direct and certificate.channel(held).target != certificate.channel(wanted).source:
            raise Refused(f"refused: the channels do not meet at a router: {certificate.arrow(dependency)}")
        if dependency in seen:
            raise Refused(f"refused: listed twice: {certificate.arrow(dependency)}")
        seen.add(dependency)


def check_terminals(certificate: Certificate) -> None:
    """Checks that terminals wait exactly for what they have to send."""
    for before, answer in zip([(-1, -1)] + certificate.answers, certificate.answers):
        if answer <= before:
            raise Refused(f"refused: the answers do not ascend at {list(answer)}")
    expected = set()
    first_injection = len(certificate.channels) * certificate.vcs
    first_ejection = first_injection + len(certificate.terminals) * certificate.vcs
    for number, terminal in enumerate(certificate.terminals):
        place = number * certificate.vcs
        for received, sent in terminal.exchanges:
            held = [first_ejection + place + vc for vc in range(certificate.vcs) if received >> vc & 1]
            wanted = [first_injection + place + vc for vc in range(certificate.vcs) if sent >> vc & 1]
            expected.update((one, other) for one in held for other in wanted)
    listed = {dependency for dependency in certificate.dependencies if certificate.ends_at_terminal(dependency[0])}
    for dependency in sorted(expected - listed):
        raise Refused(f"refused: the answers ask for it, and it is not listed: {certificate.arrow(dependency)}")
    for dependency in sorted(listed - expected):
        raise Refused(f"refused: no answer asks for it: {certificate.arrow(dependency)}")


def check_escape(certificate: Certificate) -> None:
    """Checks that an escape counts under the flow control, and that no dependency leaves it."""
    escape = certificate.escape
    if not escape:
        return
    if certificate.flow_control == "wormhole" and not certificate.one_packet_buffers:
        raise Refused("refused: under wormhole flow control an escape proves nothing where packets share buffers")
    if certificate.flow_control in ("bubble", "ethernet"):
        raise Refused(f"refused: an escape proves nothing under {certificate.flow_control} flow control")
    for before, vertex in zip([-1] + escape, escape):
        if vertex >= len(certificate.numbers):
            raise Refused(f"refused: the escape names vertex {vertex}, which does not exist")
        if vertex <= before:
            raise Refused(f"refused: the escape does not ascend at vertex {vertex}")
    members = set(escape)
    for dependency in certificate.dependencies:
        if not members.issuperset(dependency):
            raise Refused(f"refused: not all of it is in the escape: {certificate.arrow(dependency)}")


def check_optional(certificate: Certificate) -> None:
    """Checks that whoever may change the virtual channel along a ring can also stay."""
    if certificate.optional and certificate.flow_control != "bubble":
        raise Refused(f"refused: under {certificate.flow_control} flow control no dependency is optional")
    listed = set(certificate.dependencies)
    for held, wanted in certificate.optional:
        kinds = {certificate.channel(vertex).kind for vertex in (held, wanted)}
        vc, other = held % certificate.vcs, wanted % certificate.vcs
        if len(kinds) != 1 or next(iter(kinds))[:1] not in ("+", "-") or vc == other:
            raise Refused(f"refused: no change of the virtual channel straight on: {certificate.arrow((held, wanted))}")
        if (held, wanted - other + vc) not in listed:
            raise Refused(f"refused: optional, but nothing stays: {certificate.arrow((held, wanted))}")


def check_rings(certificate: Certificate) -> dict[int, int]:
    """Checks the geometry of the rings; returns each vertex's successor along its ring."""
    if certificate.rings and certificate.flow_control != "bubble":
        raise Refused(f"refused: {certificate.flow_control} flow control excuses no rings")
    listed = set(certificate.dependencies)
    successors: dict[int, int] = {}
    for number, ring in enumerate(certificate.rings):
        for vertex in ring:
            if vertex >= len(certificate.numbers):
                raise Refused(f"refused: ring {number} names vertex {vertex}, which does not exist")
        check_ring(certificate, number, ring, listed)
        for vertex, following in zip(ring, ring[1:] + ring[:1]):
            if vertex in successors:
                raise Refused(f"refused: {certificate.name(vertex)} is in two rings")
            successors[vertex] = following
    return successors


def check_ring(certificate: Certificate, number: int, ring: list[int], listed: set) -> None:
    channels = [certificate.channel(vertex) for vertex in ring]
    if len(ring) < 3:
        raise Refused(f"refused: ring {number} has fewer than three channels")
    if len({channel.source for channel in channels}) != len(ring):
        raise Refused(f"refused: ring {number} passes a router twice")
    if len({vertex % certificate.vcs for vertex in ring}) != 1:
        raise Refused(f"refused: ring {number} mixes virtual channels")
    kinds = {channel.kind for channel in channels}
    if len(kinds) != 1 or next(iter(kinds))[:1] not in ("+", "-"):
        raise Refused(f"refused: ring {number} does not keep to one direction of one dimension")
    shared = certificate.numbers[ring[0]]
    for vertex, following in zip(ring, ring[1:] + ring[:1]):
        if certificate.channel(vertex).target != certificate.channel(following).source:
            raise Refused(
                f"refused: ring {number} does not close: {certificate.name(vertex)}"
                f" does not lead to {certificate.name(following)}"
            )
        if (vertex, following) not in listed:
            raise Refused(f"refused: no packets turn ring {number} at {certificate.name(vertex)}: nothing to excuse")
        if certificate.numbers[vertex] != shared:
            raise Refused(
                "refused: not the canonical numbering (altered?): ring members must share one number:"
                f" {certificate.arrow((ring[0], vertex))}"
            )


def check_increase(certificate: Certificate, dependencies: list[tuple[int, int]]) -> None:
    numbers = certificate.numbers
    for held, wanted in dependencies:
        if numbers[wanted] <= numbers[held]:
            raise Refused(f"refuted: dependency does not increase: {certificate.arrow((held, wanted))}")


def check_canonical(certificate: Certificate, dependencies: list[tuple[int, int]]) -> None:
    """Along increasing dependencies, one look at each vertex suffices: by induction over the
    numbers, all are canonical if each is one more than the highest that leads to it."""
    leader = list(range(len(certificate.numbers)))
    for ring in certificate.rings:
        for vertex in ring:
            leader[vertex] = ring[0]
    numbers = certificate.numbers
    highest: dict[int, tuple[int, int]] = {}
    for dependency in dependencies:
        held, wanted = dependency
        at = leader[wanted]
        if at not in highest or numbers[held] > numbers[highest[at][0]]:
            highest[at] = dependency
    for vertex, number in enumerate(numbers):
        cause = highest.get(leader[vertex])
        expected = 0 if cause is None else numbers[cause[0]] + 1
        if number != expected:
            why = "no dependency leads there" if cause is None else f"by {certificate.arrow(cause)}"
            raise Refused(
                "refused: not the canonical numbering (altered?):"
                f" {certificate.name(vertex)} is numbered {number}, expected {expected}, {why}"
            )


def check_paths(certificate: Certificate, path: str) -> int:
    """Refuses paths with a dependency the certificate does not list; returns how many there are."""
    listed = set(certificate.dependencies) | set(certificate.optional)
    members = set(certificate.escape)
    waited_for = {wanted for _, wanted in certificate.dependencies}
    holding = {held for held, _ in certificate.dependencies}

    def may(held: int, wanted: int) -> bool:
        return (held, wanted) in listed or bool(members) and not (held in members and wanted in members)

    leaving = {(channel.source, channel.source_port): number for number, channel in enumerate(certificate.channels)}
    paths: dict[tuple[str, str], list[Row]] = {}
    for pair, row in read_rows(path):
        paths.setdefault(pair, []).append(row)
    for (source, destination), rows in paths.items():
        where = f"path {source} -> {destination}"
        rows.sort(key=lambda row: row.hop)
        hops = [row for row in rows if row.next_router is not None]
        held: list[int] = []
        for index, row in enumerate(hops):
            if index > 0 and (row.hop != hops[index - 1].hop + 1 or row.router != hops[index - 1].next_router):
                raise Refused(f"refused: {where}: hop {row.hop} does not continue the hop before it")
            channel = leaving.get((row.router, row.port))
            if channel is None or certificate.channels[channel].target != row.next_router or row.vc >= certificate.vcs:
                raise Refused(
                    f"refused: {where}: no channel leads from router {row.router}, port {row.port},"
                    f" to {row.next_router} on VC {row.vc}"
                )
            wanted = channel * certificate.vcs + row.vc
            if index == 0:
                held = must_hold(certificate, terminal_of(certificate, source), waited_for)
            if held and not any(may(before, wanted) for before in held):
                raise not_listed(certificate, where, row.hop, held[0], wanted)
            held = [wanted]
        for row in rows:
            if row.next_router is None and held:
                wanted = ejection(certificate, terminal_of(certificate, destination), row.vc)
                if wanted in holding and not may(held[0], wanted):
                    raise not_listed(certificate, where, row.hop, held[0], wanted)
    return len(paths)


def not_listed(certificate: Certificate, where: str, hop: int, held: int, wanted: int) -> Refused:
    return Refused(
        f"refused: {where}, hop {hop}: the certificate does not list the dependency"
        f" {certificate.name(held)} -> {certificate.name(wanted)}"
    )


def terminal_of(certificate: Certificate, name: str) -> int | None:
    """The number of a terminal of the certificate, where terminals are in it."""
    number = int(name) if name.isdigit() else -1
    return number if 0 <= number < len(certificate.terminals) else None


def must_hold(certificate: Certificate, terminal: int | None, waited_for: set[int]) -> list[int]:
    """A terminal's injection channel, if others wait for all of its virtual channels: paths do not say which one was taken."""
    if terminal is None:
        return []
    first = (len(certificate.channels) + terminal) * certificate.vcs
    injections = list(range(first, first + certificate.vcs))
    return injections if waited_for.issuperset(injections) else []


def ejection(certificate: Certificate, terminal: int | None, vc: int) -> int | None:
    if terminal is None or vc >= certificate.vcs:
        return None
    return (len(certificate.channels) + len(certificate.terminals) + terminal) * certificate.vcs + vc


@dataclass(frozen=True)
class Row:
    """What a path does at a router; of an ejection there is no next one."""

    hop: int
    router: int
    port: int
    next_router: int | None
    vc: int


def read_rows(path: str):
    """Yields ((source, destination), row)."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            missing = {"source", "destination", "hop", "router", "port", "next_router", "vc"} - set(table.fieldnames or [])
            if missing:
                raise Malformed(f"{path}: no column {', '.join(sorted(missing))}")
            for row in table:
                try:
                    hop, router, port, vc = (int(row[column]) for column in ("hop", "router", "port", "vc"))
                    next_router = None if row["next_router"] == "" else int(row["next_router"])
                except (TypeError, ValueError) as error:
                    raise Malformed(f"{path}, line {table.line_num}: {error}") from error
                if min(hop, router, port, vc, next_router or 0) < 0:
                    raise Malformed(f"{path}, line {table.line_num}: negative number")
                yield (row["source"], row["destination"]), Row(hop, router, port, next_router, vc)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Malformed(f"{path}: {error}") from error


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("certificate", help="certificate as JSON")
    parser.add_argument("--paths", help="paths of the routing as CSV")
    options = parser.parse_args(arguments)
    try:
        certificate = read_certificate(options.certificate)
        check(certificate)
        paths = None if options.paths is None else check_paths(certificate, options.paths)
    except Malformed as error:
        print(f"malformed: {error}", file=sys.stderr)
        return 2
    except Refused as error:
        print(error)
        return 1
    highest = max(certificate.numbers, default=0)
    summary = f"accepted: {len(certificate.dependencies)} dependencies"
    summary += f" among {len(certificate.numbers)} virtual channels increase along numbers 0 to {highest}"
    if certificate.escape:
        summary += f", all of an escape of {len(certificate.escape)}"
    if certificate.answers:
        summary += f", those of {len(certificate.terminals)} terminals that answer among them"
    if certificate.rings:
        summary += f", {len(certificate.rings)} rings excused by bubble flow control"
    if paths is not None:
        summary += f", {paths} paths use no others"
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
