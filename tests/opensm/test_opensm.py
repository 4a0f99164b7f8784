"""A real OpenSM loads our tables, answers with our service levels, and does so again when a cable is pulled.

    python3 -m unittest discover --start-directory tests/opensm
"""

import json
import random
import re
import shutil
import unittest

import subnet

# The name of a fabric: its [network], and how many lanes its routes may need.
FABRICS = {
    "torus": 'kind = "torus"\nsizes = [5, 5]',
    "dragonfly": 'kind = "dragonfly"\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\nglobal_ports_per_router = 2',
    "fat tree": 'kind = "k-ary-n-tree"\narity = 4\nlevels = 2',
    "irregular": 'kind = "random-regular"\nrouters = 24\ndegree = 4\nseed = 5',
}

# How many path records are asked for, each by a program of its own.
ASKED = 60


@unittest.skipIf(subnet.missing(), f"no OpenSM on a simulated fabric here: {subnet.missing()}")
class OpenSm(unittest.TestCase):
    """What OpenSM programs, what it answers, and what ibdmchk thinks of it."""

    def check(self, fabric, what):
        """Every entry of every switch is ours, and so are the service levels; nobody finds a credit loop."""
        folder = fabric.folder
        ours = subnet.tables((folder / "tables.lft").read_text())
        dumped = subnet.tables((folder / "opensm-lfts.dump").read_text())
        self.assertEqual(ours, dumped, f"{what}: what OpenSM says it has programmed")
        read_back = self.read_back(fabric)
        for guid, entries in ours.items():
            for destination, port in entries.items():
                # The tool leaves out the last LIDs of some tables.
                if destination in read_back[guid]:
                    self.assertEqual(read_back[guid][destination], port, f"{what}: {guid:#x} to {destination:#x}")
        known = sum(len(entries) for entries in read_back.values())
        self.assertGreater(known, 0.9 * sum(len(entries) for entries in ours.values()), what)
        self.check_levels(fabric, ours, what)
        self.check_loops(fabric, what)

    def read_back(self, fabric):
        """What the switches say themselves, asked one by one."""
        lids = fabric.lids()
        switches = subnet.tables((fabric.folder / "tables.lft").read_text())
        return subnet.tables("\n".join(fabric.ask("ibroute", str(lids[guid])) for guid in switches))

    def check_levels(self, fabric, ours, what):
        """OpenSM answers with our service levels; pairs whose level is not 0 are asked for first."""
        wanted = subnet.levels((fabric.folder / "qos-policy.conf").read_text())
        lids = fabric.lids()
        adapters = sorted(guid for guid in next(iter(ours.values())) if guid not in ours)
        pairs = [(a, b) for a in adapters for b in adapters if a != b]
        drawn = random.Random(1)
        drawn.shuffle(pairs)
        pairs.sort(key=lambda pair: pair not in wanted)
        half = min(len(wanted), ASKED // 2)
        for source, destination in pairs[:half] + pairs[len(wanted):][:ASKED - half]:
            record = fabric.ask("saquery", "--src-to-dst", f"{lids[source]}:{lids[destination]}")
            level = int(re.search(r"^\s*sl\.+(\w+)", record, re.M)[1], 0)
            self.assertEqual(level, wanted.get((source, destination), 0), f"{what}: {source:#x} to {destination:#x}")

    def check_loops(self, fabric, what):
        """ibdmchk finds no credit loop; it always crashes behind its verdict."""
        folder = fabric.folder / "ibdmchk"
        command = "cd ibdmchk && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs -c path-sl.txt -d sl2vl.txt || true"
        said = fabric.ask("bash", "-c", command)
        self.assertIn("no credit loops found", said, what)
        self.assertNotIn("credit loops in routing", said, what)
        self.assertNotIn("-E-", said, f"{what}: {said[-3000:]}")
        self.assertTrue((folder / "opensm.fdbs").exists())

    def route(self, fabric, *options):
        """Makes tables from what ibnetdiscover finds; returns what is said of them."""
        fabric.discover()
        done = fabric.turnwise(
            "route", "--fabric", "discovered.net", "--lft", "tables.lft", "--service-levels", "qos-policy.conf",
            "--ibdmchk", "ibdmchk", "--format", "json", *options,
        )
        row = json.loads(done)
        self.assertEqual(row["verdict"], "deadlock-free")
        self.assertEqual(row["routable_pairs"], row["pairs"])
        return row

    def test_tables_are_loaded_and_loaded_again_when_a_cable_is_pulled(self):
        for name, network in FABRICS.items():
            with self.subTest(name):
                fabric = subnet.Subnet(f"[network]\n{network}\n", name.replace(" ", "-"))
                self.addCleanup(fabric.stop)
                self.route(fabric)
                fabric.manage()
                self.check(fabric, name)
                # The way back: what OpenSM has programmed is judged as ours was.
                judged = ["verify", "--fabric", "discovered.net", "--lft", "opensm-lfts.dump"]
                fabric.turnwise(*judged, "--service-levels", "qos-policy.conf", "--sl2vl", "opensm-sl2vl.dump")
                guid, port = self.a_cable(fabric)
                fabric.unlink(guid, port)
                # OpenSM loads what it has once more, and packets are lost behind the cable.
                fabric.discover()
                lost = fabric.turnwise(*judged, status=1)
                self.assertIn("UNROUTABLE", lost)
                self.route(fabric)
                fabric.sweep_again()
                self.check(fabric, f"{name} without a cable")
                fabric.turnwise(*judged, "--service-levels", "qos-policy.conf", "--sl2vl", "opensm-sl2vl.dump")
                fabric.stop()

    def test_tables_are_changed_step_by_step_when_a_cable_is_pulled(self):
        for name, network in FABRICS.items():
            with self.subTest(name):
                fabric = subnet.Subnet(f"[network]\n{network}\n", "steps-" + name.replace(" ", "-"))
                self.addCleanup(fabric.stop)
                folder = fabric.folder
                self.route(fabric)
                fabric.manage()
                fabric.unlink(*self.a_cable(fabric))
                made = self.route_to("mended", fabric, "--keep", "tables.lft", "--keep-service-levels", "qos-policy.conf", "--steps", "steps")
                self.assertIn("change_steps", made)
                shutil.copy(folder / "mended.conf", folder / "qos-policy.conf")
                steps = sorted((folder / "steps").glob("step-*.lft"))
                self.assertTrue(steps, name)
                # Emptied entries are not listed: the last one of an adapter is taken away, and comes back with the first step.
                lines = (folder / "tables.lft").read_text().split("\n")
                del lines[max(at for at, line in enumerate(lines) if "Channel Adapter" in line)]
                (folder / "emptied.lft").write_text("\n".join(lines))
                for step in [folder / "emptied.lft", *steps]:
                    shutil.copy(step, folder / "tables.lft")
                    fabric.sweep_again()
                    # Entries behind the cable that have not been mended yet are loaded as they are.
                    asked = subnet.tables(step.read_text())
                    self.assertEqual(asked, subnet.tables((folder / "opensm-lfts.dump").read_text()), f"{name}: {step.name}")
                last = subnet.tables(steps[-1].read_text())
                self.assertEqual(last, subnet.tables((folder / "mended.lft").read_text()), f"{name}: the last step")
                fabric.stop()

    def route_to(self, tables, fabric, *options):
        """Makes tables under another name."""
        fabric.discover()
        files = ("--lft", f"{tables}.lft", "--service-levels", f"{tables}.conf")
        return json.loads(fabric.turnwise("route", "--fabric", "discovered.net", *files, "--format", "json", *options))

    def a_cable(self, fabric):
        """The last cable between two switches: GUID and port of one end."""
        switch, found = None, None
        for line in (fabric.folder / "discovered.net").read_text().split("\n"):
            if head := re.match(r'Switch\s+\d+ "S-([0-9a-f]+)"', line):
                switch = int(head[1], 16)
            elif cable := re.match(r'\[(\d+)\]\s+"S-', line):
                found = (switch, int(cable[1])) if switch is not None else found
            elif line.startswith("Ca"):
                switch = None
        return found


@unittest.skipIf(subnet.missing(), f"no ibdmchk here: {subnet.missing()}")
class LanesThatChange(unittest.TestCase):
    """Two lanes are enough for a torus if switches change them; ibdmchk agrees, and finds the loop without them."""

    def test_ibdmchk_finds_a_loop_only_without_service_levels(self):
        fabric = subnet.Subnet('[network]\nkind = "torus"\nsizes = [5, 5, 5]\n', "lanes")
        self.addCleanup(fabric.stop)
        done = fabric.turnwise(
            "route", "--fabric", "fabric.net", "--set", 'routing.deployment="transitions"', "--ibdmchk", "ibdmchk", "--format", "json"
        )
        self.assertEqual(json.loads(done)["virtual_channels_used"], 2)
        tables = "cd ibdmchk && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs"
        said = fabric.ask("bash", "-c", f"{tables} -c path-sl.txt -d sl2vl.txt || true")
        self.assertIn("no credit loops found", said)
        self.assertIn("2 VLs used", said)
        said = fabric.ask("bash", "-c", f"{tables} || true")
        self.assertIn("credit loops in routing", said)


@unittest.skipIf(subnet.missing(), f"no OpenSM on a simulated fabric here: {subnet.missing()}")
class OwnTables(unittest.TestCase):
    """What OpenSM's own routing engines program, judged."""

    def judged(self, engine, *options):
        """The verdict on a torus of 4x4x4 under one of OpenSM's engines."""
        fabric = subnet.Subnet('[network]\nkind = "torus"\nsizes = [4, 4, 4]\n', engine)
        self.addCleanup(fabric.stop)
        fabric.discover()
        (fabric.folder / "roots").write_text("0x5000000000000001\n")
        fabric.ask(
            "opensm", "-o", "-e", "-f", "osm.log", "--dump_files_dir", str(fabric.folder), "-D", "0x43", "-R",
            f"{engine},no_fallback", *options,
        )
        verdict = ["verify", "--fabric", "discovered.net", "--lft", "opensm-lfts.dump", "--format", "json"]
        done = fabric.turnwise(*verdict, status=1 if engine == "minhop" else 0)
        return json.loads(done)

    def test_minimal_hops_close_a_cycle_on_a_torus(self):
        found = self.judged("minhop")
        self.assertEqual(found["verdict"], "cyclic")
        self.assertRegex(found["cycle"][0], r"^router-\d+\[\d\] -> router-\d+\[\d\] VC 0, held by packets terminal-\d+ -> terminal-\d+$")

    def test_up_and_down_is_proved_free(self):
        self.assertEqual(self.judged("updn", "-a", "roots")["verdict"], "deadlock-free")


if __name__ == "__main__":
    unittest.main()
