"""Tests of check_certificate.py: python3 -m unittest tools/test_check_certificate.py"""

import contextlib
import copy
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_certificate  # noqa: E402


def certificate(**changes):
    """A line of four routers 0 - 1 - 2 - 3, packets going up: channels 0, 1, 2."""
    document = {
        "format": "turnwise-certificate",
        "version": 3,
        "tool": "test",
        "network": "line",
        "routing": "test",
        "flow_control": "wormhole",
        "one_packet_buffers": False,
        "virtual_channels": 1,
        "channels": [[0, 0, 1, 1, 2, "+x"], [1, 1, 1, 2, 2, "+x"], [2, 2, 1, 3, 2, "+x"], [3, 3, 1, 2, 3, "-x"]],
        "rings": [],
        "escape": [],
        "dependencies": [[0, 1], [1, 2]],
        "numbers": [0, 1, 2, 0],
    }
    document.update(changes)
    return sealed(document)


def bubble_ring(**changes):
    """A ring of three routers with an entry 3 -> 0 and an exit 1 -> 4."""
    ring = certificate(
        flow_control="bubble",
        channels=[[0, 0, 1, 1, 2, "+x"], [1, 1, 1, 2, 2, "+x"], [2, 2, 1, 0, 2, "+x"], [3, 3, 1, 0, 3, "+y"], [4, 1, 3, 4, 2, "+y"]],
        rings=[[0, 1, 2]],
        dependencies=[[0, 1], [0, 4], [1, 2], [2, 0], [3, 0]],
        numbers=[1, 1, 1, 0, 2],
    )
    ring.update(changes)
    return sealed(ring)


def changing(**changes):
    """The same ring with two virtual channels between which packets may change, and need not."""
    ring = bubble_ring(
        version=5,
        virtual_channels=2,
        rings=[[0, 2, 4], [1, 3, 5]],
        dependencies=[[0, 2], [0, 8], [1, 3], [2, 4], [3, 5], [4, 0], [5, 1], [6, 0], [6, 1]],
        optional=[[0, 3], [1, 2], [2, 5], [3, 4], [4, 1], [5, 0]],
        numbers=[1, 1, 1, 1, 1, 1, 0, 0, 2, 0],
    )
    ring.update(changes)
    return sealed(ring)


def sealed(document):
    """With the digest of what it holds, where it holds what it should."""
    document["sha256"] = ""
    try:
        document["sha256"] = check_certificate.digest(check_certificate.parse_certificate(document))
    except check_certificate.Malformed:
        pass
    return document


def alterations(value):
    """Every copy of a JSON value with one number changed."""
    if type(value) is int:
        yield from (value - 1, value + 1, value + 2, 0 if value else 7)
    elif isinstance(value, (list, dict)):
        places = range(len(value)) if isinstance(value, list) else list(value)
        for place in places:
            for other in alterations(value[place]):
                altered = copy.copy(value)
                altered[place] = other
                yield altered


def two_vcs():
    """The same line with two virtual channels: packets start on VC 0 and end on VC 1."""
    return certificate(virtual_channels=2, dependencies=[[0, 3], [3, 5]], numbers=[0, 0, 0, 1, 0, 2, 0, 0])


def escape(**changes):
    """The same line: packets may use any VC, and can always turn to VC 0."""
    found = certificate(flow_control="virtual-cut-through", virtual_channels=2, escape=[0, 2, 4], dependencies=[[0, 2], [2, 4]], numbers=[0, 0, 1, 0, 2, 0, 0, 0])
    found.update(changes)
    return sealed(found)


def indirect(**changes):
    """Under wormhole flow control also what is held before what is no escape."""
    found = escape(flow_control="wormhole", one_packet_buffers=True, dependencies=[[0, 2], [0, 4], [2, 4]])
    found.update(changes)
    return sealed(found)


def answering(**changes):
    """Two routers, a terminal each: requests on VC 0 wait until replies have left on VC 1."""
    found = certificate(
        version=4,
        virtual_channels=2,
        channels=[[0, 0, 1, 1, 1, "local"], [1, 1, 1, 0, 1, "local"]],
        answers=[[0, 1]],
        terminals=[[0, 0, 0, [[1, 2]]], [1, 1, 0, [[1, 2]]]],
        dependencies=[[0, 10], [2, 8], [5, 1], [7, 3], [8, 5], [10, 7]],
        numbers=[0, 3, 0, 3, 0, 2, 0, 2, 1, 0, 1, 0],
    )
    found.update(changes)
    return sealed(found)


HEADER = "source,destination,hop,router,port,next_router,vc\n"


class Checker(unittest.TestCase):
    def run_checker(self, document, paths=None):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "certificate.json")
            text = document if isinstance(document, str) else json.dumps(document)
            file.write_text(text, encoding="utf-8")
            arguments = [str(file)]
            if paths is not None:
                table = pathlib.Path(folder, "paths.csv")
                table.write_text(paths, encoding="utf-8")
                arguments += ["--paths", str(table)]
            output = io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                status = check_certificate.main(arguments)
        return status, output.getvalue()

    def expect(self, document, status, words, paths=None):
        found, output = self.run_checker(document, paths)
        self.assertEqual(found, status, output)
        self.assertIn(words, output)

    def test_canonical_certificates_are_accepted(self):
        self.expect(certificate(), 0, "accepted: 2 dependencies")
        self.expect(bubble_ring(), 0, "1 rings excused")
        self.expect(two_vcs(), 0, "numbers 0 to 2")
        self.expect(escape(), 0, "all of an escape of 3")
        self.expect(indirect(), 0, "3 dependencies")
        self.expect(answering(), 0, "those of 2 terminals that answer among them")
        self.expect(changing(), 0, "9 dependencies")
        self.expect(certificate(channels=[], dependencies=[], numbers=[]), 0, "accepted: 0")

    def test_every_altered_number_is_refused(self):
        for original in (certificate(), bubble_ring(), two_vcs(), escape(), indirect(), answering(), changing()):
            for vertex in range(len(original["numbers"])):
                for difference in (-2, -1, 1, 5):
                    altered = copy.deepcopy(original)
                    altered["numbers"][vertex] += difference
                    status, output = self.run_checker(altered)
                    self.assertEqual(status, 1, output)
                    self.assertIn(f"vertex {vertex} ", output)

    def test_every_single_altered_number_anywhere_is_refused(self):
        for original in (certificate(), bubble_ring(), two_vcs(), escape(), indirect(), answering(), changing()):
            count = 0
            for altered in alterations(original):
                status, output = self.run_checker(altered)
                self.assertIn(status, (1, 2), f"{altered}: {output}")
                count += 1
            self.assertGreater(count, 100)

    def test_other_networks_and_digests_are_refused(self):
        for field in ("network", "routing", "sha256"):
            altered = certificate()
            altered[field] += "x"
            self.expect(altered, 1, "digest")
            del altered[field]
            self.expect(altered, 2, f'"{field}" is missing')

    def test_refuted_and_not_canonical_are_told_apart(self):
        self.expect(certificate(numbers=[0, 0, 1, 0]), 1, "refuted: dependency does not increase")
        self.expect(certificate(numbers=[0, 1, 3, 0]), 1, "refused: not the canonical numbering (altered?)")
        self.expect(certificate(numbers=[1, 2, 3, 0]), 1, "refused: not the canonical numbering (altered?)")
        self.expect(bubble_ring(numbers=[1, 2, 1, 0, 3]), 1, "ring members must share one number")

    def test_a_cycle_cannot_be_numbered(self):
        ring = [[0, 1], [1, 2], [2, 0]]
        channels = [[0, 0, 1, 1, 2, "+x"], [1, 1, 1, 2, 2, "+x"], [2, 2, 1, 0, 2, "+x"]]
        for numbers in ([0, 1, 2], [0, 0, 0], [2, 1, 0]):
            cyclic = certificate(channels=channels, dependencies=ring, numbers=numbers)
            self.expect(cyclic, 1, "refuted: dependency does not increase")

    def test_dependencies_must_join_channels_that_meet(self):
        self.expect(certificate(dependencies=[[0, 2], [1, 2]], numbers=[0, 0, 1, 0]), 1, "do not meet")
        self.expect(certificate(dependencies=[[0, 9]]), 1, "vertex 9, which does not exist")
        self.expect(certificate(dependencies=[[0, 1], [0, 1], [1, 2]]), 1, "listed twice")

    def test_false_rings_are_refused(self):
        self.expect(bubble_ring(flow_control="wormhole"), 1, "excuses no rings")
        self.expect(bubble_ring(rings=[[0, 1]]), 1, "fewer than three")
        self.expect(bubble_ring(rings=[[0, 2, 1]]), 1, "does not close")
        self.expect(bubble_ring(rings=[[0, 1, 2], [1, 2, 0]]), 1, "two rings")
        self.expect(bubble_ring(rings=[[0, 1, 9]]), 1, "does not exist")
        kinds = [[0, 0, 1, 1, 2, "+x"], [1, 1, 1, 2, 2, "+x"], [2, 2, 1, 0, 2, "+y"], [3, 3, 1, 0, 3, "+y"], [4, 1, 3, 4, 2, "+y"]]
        self.expect(bubble_ring(channels=kinds), 1, "one direction of one dimension")
        self.expect(bubble_ring(rings=[]), 1, "refuted")
        idle = bubble_ring(dependencies=[[0, 1], [0, 4], [1, 2], [3, 0]])
        self.expect(idle, 1, "nothing to excuse")

    def test_what_is_optional_goes_straight_on_beside_what_stays(self):
        self.expect(changing(flow_control="wormhole", rings=[]), 1, "no dependency is optional")
        self.expect(changing(optional=[[0, 9]]), 1, "no change of the virtual channel straight on")
        self.expect(changing(optional=[[0, 2]]), 1, "listed twice")
        self.expect(changing(optional=[[0, 5]]), 1, "do not meet")
        self.expect(changing(optional=[[0, 30]]), 1, "optional[0] names vertex 30, which does not exist")
        self.expect(changing(optional=[[7, 0]]), 1, "no change of the virtual channel straight on")
        broken = [[0, 2], [0, 8], [2, 4], [3, 5], [4, 0], [5, 1], [6, 0], [6, 1]]
        self.expect(changing(dependencies=broken, rings=[[0, 2, 4]]), 1, "optional, but nothing stays")
        self.expect(changing(optional=[]), 2, "version 5 with nothing optional")
        self.expect(changing(version=3), 2, "version 3 knows nothing optional")
        self.expect(changing(optional=[[0, 3, 4]]), 2, "optional[0] is not")
        answers = answering(version=5)
        self.expect(answers, 2, '"optional" is missing')

    def test_paths_may_take_what_is_optional(self):
        rows = HEADER + "0,2,0,0,1,1,0\n0,2,1,1,1,2,1\n"
        self.expect(changing(), 0, "1 paths use no others", rows)
        fewer = changing(optional=[[1, 2], [2, 5], [3, 4], [4, 1], [5, 0]])
        self.expect(fewer, 1, "does not list the dependency", rows)

    def test_an_escape_counts_only_where_packets_can_turn_to_it(self):
        self.expect(indirect(one_packet_buffers=False), 1, "where packets share buffers")
        for flow_control in ("bubble", "ethernet"):
            self.expect(escape(flow_control=flow_control), 1, f"under {flow_control} flow control")
        self.expect(escape(escape=[0, 4]), 1, "not all of it is in the escape")
        self.expect(escape(escape=[0, 2, 2, 4]), 1, "does not ascend")
        self.expect(escape(escape=[0, 2, 4, 8]), 1, "vertex 8, which does not exist")
        self.expect(indirect(flow_control="virtual-cut-through"), 1, "do not meet")
        cyclic = indirect(dependencies=[[0, 2], [2, 4], [4, 0]])
        self.expect(cyclic, 1, "refuted: dependency does not increase")
        self.expect(escape(escape=[True]), 2, '"escape" is not a list of vertices')
        self.expect(escape(one_packet_buffers=1), 2, "neither true nor false")

    def test_terminals_wait_for_exactly_what_they_have_to_send(self):
        without = [[0, 10], [2, 8], [5, 1], [7, 3], [8, 5]]
        self.expect(answering(dependencies=without), 1, "the answers ask for it, and it is not listed")
        received_on_both = [[0, 0, 0, [[1, 2]]], [1, 1, 0, [[3, 2]]]]
        self.expect(answering(terminals=received_on_both), 1, "vertex 11 (router 1 -> terminal 1 [ejection] VC 1)")
        invented = answering()["dependencies"] + [[9, 5]]
        self.expect(answering(dependencies=invented), 1, "no answer asks for it")
        crossed = [[0, 10], [2, 8], [5, 3], [7, 3], [8, 5], [10, 7]]
        self.expect(answering(dependencies=crossed), 1, "do not meet")
        self.expect(answering(dependencies=[[0, 10], [2, 8], [5, 1], [7, 3], [8, 7], [10, 7]]), 1, "do not meet")

    def test_one_class_for_requests_and_replies_cannot_be_numbered(self):
        shared = answering(
            answers=[[0, 0]],
            terminals=[[0, 0, 0, [[1, 1]]], [1, 1, 0, [[1, 1]]]],
            dependencies=[[0, 10], [2, 8], [4, 0], [6, 2], [8, 4], [10, 6]],
        )
        self.expect(shared, 1, "refuted: dependency does not increase")

    def test_answers_are_read_with_care(self):
        self.expect(answering(version=3), 2, "version 3 knows no answers")
        self.expect(answering(answers=[]), 2, "version 4 without answers")
        self.expect(answering(answers=[[0]]), 2, "answers[0] is not")
        self.expect(answering(terminals=[]), 1, "12 numbers for 4 vertices")
        self.expect(answering(terminals=[[1, 1, 0, [[1, 2]]]]), 2, "has id 1, expected 0")
        self.expect(answering(terminals=[[0, 0, 0, []]]), 2, "with 1 pairs")
        self.expect(answering(terminals=[[0, 0, 0, [[4, 2]]]]), 2, "that there are not")
        twice = [[0, 0, 0, [[1, 2], [1, 2]]], [1, 1, 0, [[1, 2], [1, 2]]]]
        self.expect(answering(answers=[[0, 1], [0, 1]], terminals=twice), 1, "the answers do not ascend")

    def test_paths_off_the_escape_need_not_be_listed(self):
        self.expect(escape(), 0, "1 paths", HEADER + "0,3,0,0,1,1,0\n0,3,1,1,1,2,1\n0,3,2,2,1,3,0\n")
        turn_back = HEADER + "2,2,0,2,1,3,0\n2,2,1,3,1,2,0\n"
        self.expect(escape(escape=[0, 2, 4, 6]), 1, "does not list the dependency", turn_back)

    def test_parallel_channels_are_told_apart_by_their_ports(self):
        channels = [[0, 0, 1, 1, 2, "local"], [1, 0, 3, 1, 4, "local"], [2, 1, 1, 2, 2, "local"]]
        other = certificate(channels=channels, dependencies=[[1, 2]], numbers=[0, 0, 1])
        self.expect(other, 0, "1 paths", HEADER + "0,2,0,0,3,1,0\n0,2,1,1,1,2,0\n")
        self.expect(other, 1, "does not list the dependency", HEADER + "0,2,0,0,1,1,0\n0,2,1,1,1,2,0\n")
        channels[1][2] = 1
        shared = certificate(channels=channels, dependencies=[[1, 2]], numbers=[0, 0, 1])
        self.expect(shared, 1, "router 0, port 1 is the source of two channels")

    def test_paths_wait_for_terminals_that_answer(self):
        request = HEADER + "0,1,0,0,1,1,0\n0,1,1,1,0,,0\n"
        self.expect(answering(), 0, "1 paths", request)
        nothing = dict(dependencies=[[8, 5], [10, 7]], numbers=[0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0])
        self.expect(answering(**nothing), 0, "accepted")
        self.expect(answering(**nothing), 1, "does not list the dependency vertex 0 (router 0 -> 1", request)
        one = dict(
            virtual_channels=1, answers=[[0, 0]], terminals=[[0, 0, 0, [[1, 1]]], [1, 1, 0, [[1, 1]]]],
            dependencies=[[0, 5], [1, 4], [4, 2], [5, 3]], numbers=[0, 0, 2, 2, 1, 1],
        )
        self.expect(answering(**one), 0, "accepted")
        self.expect(answering(**one), 1, "hop 0: the certificate does not list the dependency vertex 2 (terminal 0 -> 0", request)

    def test_files_that_are_no_certificates_are_malformed(self):
        self.expect("{", 2, "malformed")
        self.expect("[]", 2, "not a certificate")
        self.expect(certificate(version=2), 2, "version 2 is unknown")
        self.expect(certificate(flow_control="hope"), 2, "unknown flow_control")
        self.expect(certificate(numbers=[0, 1, 2.5, 0]), 2, "numbers[2] is not an integer")
        self.expect(certificate(numbers=[0, True, 2, 0]), 2, "numbers[1] is not an integer")
        self.expect(certificate(dependencies=[[0]]), 2, "dependencies[0]")
        self.expect(certificate(dependencies=[[0, "1"]]), 2, "dependencies[0]")
        self.expect(certificate(channels=[[1, 0, 1, 1, 2, "+x"]]), 2, "has id 1")
        incomplete = certificate()
        del incomplete["rings"]
        self.expect(incomplete, 2, '"rings" is missing')
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(check_certificate.main(["/no/such/file.json"]), 2)

    def test_paths_within_the_certificate_are_accepted(self):
        paths = HEADER + "0,3,0,0,1,1,0\n0,3,1,1,1,2,0\n0,3,2,2,1,3,0\n0,3,3,3,0,,0\n3,2,0,3,1,2,0\n"
        self.expect(certificate(), 0, "2 paths use no others", paths)
        self.expect(two_vcs(), 0, "1 paths", HEADER + "0,2,0,0,1,1,0\n0,2,1,1,1,2,1\n")

    def test_paths_with_other_dependencies_are_refused(self):
        turn_back = HEADER + "2,2,0,2,1,3,0\n2,2,1,3,1,2,0\n"
        self.expect(certificate(), 1, "does not list the dependency", turn_back)
        self.expect(certificate(), 1, "no channel leads from router 1, port 1, to 0", HEADER + "1,0,0,1,1,0,0\n")
        self.expect(certificate(), 1, "no channel", HEADER + "0,1,0,0,1,1,1\n")
        self.expect(certificate(), 1, "does not continue", HEADER + "0,3,0,0,1,1,0\n0,3,1,2,1,3,0\n")
        self.expect(two_vcs(), 1, "does not list", HEADER + "0,2,0,0,1,1,0\n0,2,1,1,1,2,0\n")

    def test_broken_tables_of_paths_are_malformed(self):
        self.expect(certificate(), 2, "no column", "source,destination\n0,1\n")
        self.expect(certificate(), 2, "line 2", HEADER + "0,1,zero,0,1,1,0\n")



if __name__ == "__main__":
    unittest.main()
