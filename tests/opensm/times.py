"""How long OpenSM's own engines take to route a fabric, and how long ours takes, in turns on this machine.

    python3 tests/opensm/times.py [FABRIC ...]

Engines are those whose tables are free of deadlock on the fabric: lash, dfsssp and nue by their lanes, torus-2QoS on tori, and
minhop and ftree on fat trees and megaflies. Each time is the least of some: of OpenSM from `building routing with` in its log to the
first table that it sends, of ours `routing_seconds` of `turnwise route --fabric`. An engine that refuses a fabric, or that has not
routed it in a minute, has no time.
"""

import json
import re
import subprocess
import sys
import time

import subnet

REPETITIONS = 3
# In seconds.
PATIENCE = 60
REFUSED = float("inf")
ANYWHERE = ["lash", "dfsssp", "nue"]
TREES = [*ANYWHERE, "minhop", "ftree"]
TORI = [*ANYWHERE, "torus-2QoS"]

# The name of a fabric: its [network], and who routes it without deadlock.
FABRICS = {
    "torus 4x4x4": ('kind = "torus"\nsizes = [4, 4, 4]', TORI),
    "torus 16x16": ('kind = "torus"\nsizes = [16, 16]', TORI),
    "torus 8x8x8": ('kind = "torus"\nsizes = [8, 8, 8]', TORI),
    "dragonfly 72": (
        'kind = "dragonfly"\ngroups = 9\nrouters_per_group = 4\nterminals_per_router = 2\nglobal_ports_per_router = 2',
        ANYWHERE,
    ),
    "dragonfly 1056": (
        'kind = "dragonfly"\ngroups = 33\nrouters_per_group = 8\nterminals_per_router = 4\nglobal_ports_per_router = 4',
        ANYWHERE,
    ),
    "megafly 272": ('kind = "megafly"\nhalf_radix = 4\ngroups = 17', TREES),
    "fat tree 512": ('kind = "k-ary-n-tree"\narity = 8\nlevels = 3', TREES),
    "random 64": ('kind = "random-regular"\nrouters = 64\ndegree = 6', ANYWHERE),
    "random 256": ('kind = "random-regular"\nrouters = 256\ndegree = 6', ANYWHERE),
}


def switches(text):
    """GUIDs of the switches of a net file, in its order, and the pairs that are cabled."""
    guids, links, at = [], set(), None
    for line in text.split("\n"):
        head = re.match(r'Switch\s+\d+ "S-([0-9a-f]+)"', line)
        cable = re.match(r'\[\d+\]\s+"S-([0-9a-f]+)"', line)
        if head:
            at = int(head[1], 16)
            guids.append(at)
        elif line.startswith("Ca"):
            at = None
        elif cable and at is not None:
            links.add((at, int(cable[1], 16)))
    return guids, links


def torus(text, network):
    """The file by which torus-2QoS knows directions: links of one switch up and down each dimension."""
    sizes = json.loads(re.search(r"sizes = (\[.*\])", network)[1])
    guids, links = switches(text)
    strides = [1]
    for size in sizes[:-1]:
        strides.append(strides[-1] * size)
    lines = ["torus " + " ".join(map(str, [*sizes, 1][:3]))]
    for name, size, stride in zip("xyz", sizes, strides):
        for sign, step in ("p", stride), ("m", (size - 1) * stride):
            assert (guids[0], guids[step]) in links, f"switch {step} is no neighbour of the first"
            lines.append(f"{name}{sign}_link {guids[0]:#x} {guids[step]:#x}")
    lines += [f"{name}_dateline 0" for name, _ in zip("xyz", sizes)]
    return "\n".join([*lines, "portgroup_max_ports 16", ""])


def seconds(log):
    """From the line that says that an engine begins to the first table that is sent; `REFUSED`, or nothing if neither is there yet."""
    begin = None
    for line in log.split("\n"):
        stamp = re.match(r"\w+ +\d+ (\d+):(\d+):(\d+) (\d+) ", line)
        if not stamp:
            continue
        hour, minute, second, micro = map(int, stamp.groups())
        now = 3600 * hour + 60 * minute + second + micro / 1e6
        if "building routing with" in line:
            begin = now
        elif begin is not None and re.search(r"ERR|No more routing engines|cannot", line):
            return REFUSED
        elif begin is not None and "osm_prepare_req_set: [" in line:
            # A day may end in between.
            return (now - begin) % 86400
    return None


def opensm(fabric, engine):
    """Routes the fabric once by an engine of OpenSM."""
    folder = fabric.folder
    log = folder / "osm.log"
    log.unlink(missing_ok=True)
    (folder / "modules").write_text("osm_ucast_mgr.c 0x47\nosm_req.c 0x13\n")
    (folder / "opensm.conf").write_text(
        f"routing_engine {engine},no_fallback\n"
        f"log_file {log}\n"
        f"dump_files_dir {folder}\n"
        f"per_module_logging_file {folder}/modules\n"
        f"torus_config {folder}/torus.conf\n"
        "nue_max_num_vls 8\n"
        "qos TRUE\n"
    )
    process = subprocess.Popen(
        ["opensm", "-o", "-e", "-F", "opensm.conf"],
        cwd=folder,
        env=fabric.preloaded(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # One that refuses is asked again for ever; one that does not programs the switches in peace, for the next to find them well.
    try:
        end = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < end:
            if log.exists() and seconds(log.read_text(errors="replace")) == REFUSED:
                return REFUSED
            time.sleep(0.5)
        return seconds(log.read_text(errors="replace")) or REFUSED
    finally:
        process.kill()
        process.wait()


def ours(fabric):
    """Routes the fabric once by ours."""
    row = json.loads(fabric.turnwise("route", "--fabric", "fabric.net", "--format", "json"))
    return row["routing_seconds"]


def measure(name):
    """A line of the table."""
    network, engines = FABRICS[name]
    fabric = subnet.Subnet(f"[network]\n{network}\n", "times")
    try:
        if "torus-2QoS" in engines:
            text = (fabric.folder / "fabric.net").read_text()
            (fabric.folder / "torus.conf").write_text(torus(text, network))
        times = {engine: [] for engine in engines}
        own = []
        for _ in range(REPETITIONS):
            own.append(ours(fabric))
            for engine in engines:
                if REFUSED not in times[engine]:
                    times[engine].append(opensm(fabric, engine))
    finally:
        fabric.stop()
    least = {engine: min(taken) for engine, taken in times.items() if REFUSED not in taken}
    told = ", ".join(f"{engine} {1e3 * taken:.1f}" for engine, taken in sorted(least.items(), key=lambda item: item[1]))
    return f"| {name} | {told or 'none'} | {1e3 * min(own):.1f} |"


def main():
    """Prints the table."""
    if why := subnet.missing():
        sys.exit(why)
    print("| fabric | OpenSM's engines, ms | ours, ms |\n|---|---|---|")
    for name in sys.argv[1:] or FABRICS:
        print(measure(name), flush=True)


if __name__ == "__main__":
    main()
