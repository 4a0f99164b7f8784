"""An InfiniBand subnet of its own: ibsim and OpenSM on this machine, in a scratch folder.

Everything talks by sockets whose names nobody else has, nothing outside the folder is touched, and what was started is stopped
again. Needs the Debian packages opensm, ibsim-utils, infiniband-diags and ibutils.
"""

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from command import turnwise

PROGRAMS = ["opensm", "ibsim", "ibnetdiscover", "ibroute", "saquery", "ibdmchk"]
PATH = f"{os.environ['PATH']}:/usr/sbin"


def simulated():
    """The library with which programs see ibsim instead of hardware, if it is there."""
    found = sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
    return found[0] if found else None


def missing():
    """Why no subnet can be started here; nothing if one can."""
    absent = [program for program in PROGRAMS if not shutil.which(program, path=PATH)]
    if absent:
        return "not installed: " + ", ".join(absent)
    return None if simulated() else "libumad2sim.so is not installed"


class Subnet:
    """A fabric that ibsim simulates, and a subnet manager that loads our tables."""

    def __init__(self, network, name):
        """`network` is the text of a study's [network]."""
        self.folder = Path(tempfile.mkdtemp(prefix="turnwise-opensm-"))
        self.program = turnwise()
        self.started = []
        socket = f"turnwise-{os.getpid()}-{name}"
        self.environment = dict(
            os.environ,
            PATH=PATH,
            IBSIM_SOCKNAME=socket,
            OSM_TMP_DIR=str(self.folder),
            OSM_CACHE_DIR=str(self.folder),
        )
        (self.folder / "study.toml").write_text(network)
        self.turnwise("network", "study.toml", "--export", "fabric.net", "--no-distances")
        self.console = self.start(
            ["ibsim", "-s", "-N", "8192", "-S", "4096", "-P", "200000", "fabric.net"], "ibsim.log", stdin=subprocess.PIPE
        )
        self.wait(lambda: f"@{socket}:ctl" in Path("/proc/net/unix").read_text(), "ibsim listens")

    def start(self, command, log, **options):
        """Starts a program that goes on."""
        with open(self.folder / log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(
                command, cwd=self.folder, env=options.pop("env", self.environment), stdout=out, stderr=out, **options
            )
        self.started.append(process)
        return process

    def turnwise(self, *arguments, status=0):
        """Runs the command under test, and returns what it printed."""
        done = subprocess.run(
            [self.program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode != status:
            raise AssertionError(f"turnwise {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def preloaded(self):
        """What programs see that are to see ibsim."""
        return dict(self.environment, LD_PRELOAD=str(simulated()))

    def ask(self, *command):
        """Runs a program that sees the fabric, and returns what it printed."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.preloaded(), capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout

    def discover(self):
        """Writes what ibnetdiscover finds."""
        (self.folder / "discovered.net").write_text(self.ask("ibnetdiscover"))

    def manage(self):
        """Starts OpenSM with the tables in the folder, and waits until it has programmed the switches."""
        (self.folder / "opensm.conf").write_text(
            "routing_engine file,no_fallback\n"
            f"lfts_file {self.folder}/tables.lft\n"
            "qos TRUE\n"
            f"qos_policy_file {self.folder}/qos-policy.conf\n"
            f"log_file {self.folder}/osm.log\n"
            f"dump_files_dir {self.folder}\n"
            "log_flags 0x43\n"
        )
        self.manager = self.start(
            ["opensm", "-F", "opensm.conf", "-s", "0", "-e"], "opensm.out", env=self.preloaded(), stdin=subprocess.DEVNULL
        )
        self.programmed()

    def programmed(self):
        """Waits until OpenSM has dumped what it knows, which it does last."""
        listed = self.folder / "opensm-subnet.lst"
        self.wait(lambda: listed.exists() and listed.stat().st_size > 0, "OpenSM has programmed the switches")
        size = -1
        while size != (size := listed.stat().st_size):
            time.sleep(0.3)

    def sweep_again(self):
        """Has OpenSM read its files and program the switches anew."""
        (self.folder / "opensm-subnet.lst").unlink()
        self.manager.send_signal(signal.SIGHUP)
        self.programmed()

    def unlink(self, guid, port):
        """Pulls a cable."""
        (self.folder / "opensm-subnet.lst").unlink()
        self.console.stdin.write(f'Unlink "S-{guid:016x}"[{port}]\n'.encode())
        self.console.stdin.flush()
        # The switch tells OpenSM, which sweeps of itself.
        self.programmed()

    def lids(self):
        """By GUID of a port: its LID, as OpenSM gave them."""
        lines = (self.folder / "guid2lid").read_text().split("\n")
        pairs = [line.split() for line in lines if line]
        return {int(guid, 16): int(low, 16) for guid, low, _ in pairs}

    def wait(self, holds, what, seconds=60):
        """Waits until something holds."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                logs = [f"{log}: {log.read_text(errors='replace')[-2000:]}" for log in self.folder.glob("*.log")]
                raise AssertionError(f"after {seconds} s it is not true that {what}\n" + "\n".join(logs))
            time.sleep(0.05)

    def stop(self):
        """Ends everything, the manager before the fabric, then removes the folder."""
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin:
                process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def tables(text):
    """Forwarding tables as tools dump them: by GUID of the switch, by GUID of the destination's port, the port."""
    found, entries = {}, {}
    for line in text.split("\n"):
        head = re.match(r"Unicast lids .* guid (0x[0-9a-f]+)", line)
        entry = re.match(r"0x[0-9a-f]+ (\d+) .*portguid (0x[0-9a-f]+)", line)
        if head:
            entries = found.setdefault(int(head[1], 16), {})
        elif entry:
            entries[int(entry[2], 16)] = int(entry[1])
    return found


def levels(text):
    """Service levels of a QoS policy: by GUIDs of source and destination, those that are not 0."""
    groups, found, block = {}, {}, {}
    for line in map(str.strip, text.split("\n")):
        key, _, value = line.partition(": ")
        if line in ("port-group", "qos-match-rule"):
            block = {}
        elif line == "end-port-group":
            groups[block["name"]] = [int(guid, 16) for guid in block["port-guid"].split(", ")]
        elif line == "end-qos-match-rule":
            level = int(block["qos-level-name"].removeprefix("SL"))
            pairs = itertools.product(groups[block["source"]], groups[block["destination"]])
            found.update((pair, level) for pair in pairs)
        else:
            block[key] = value
    return found
