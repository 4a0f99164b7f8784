"""Reads a job's tables as a router would, and says whether they are whole; shares no code with Turnwise.

As a program, it is what the tasks of the tests run: it checks the tables of its own step.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

HEADER = "destination,fs,bits,counts,ls"


def read(folder):
    """The manifest and the rows by host. Anything but exactly the files of the manifest is an error."""
    folder = Path(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    listed = {node["file"] for node in manifest["nodes"]} | {"manifest.json"}
    present = {path.name for path in folder.iterdir()}
    assert present == listed, f"{folder}: {sorted(present ^ listed)}"
    everything, rows = b"", {}
    for node in manifest["nodes"]:
        content = (folder / node["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == node["sha256"], f"{folder}/{node['file']} is damaged"
        everything += content
        header, *lines = content.decode().splitlines()
        assert header == HEADER, header
        assert len(lines) == node["routes"] == len(manifest["nodes"]) - 1
        rows[node["host"]] = [line.split(",") for line in lines]
    assert hashlib.sha256(everything).hexdigest() == manifest["fingerprint"]
    return manifest, rows


def links(manifest, rows):
    """Every link that some route crosses, as a set of pairs of coordinates; checks that all routes arrive."""
    sizes, order = manifest["sizes"], manifest["order"]
    by_number = {node["node"]: node for node in manifest["nodes"]}
    places = {tuple(node["coordinates"]) for node in manifest["nodes"]}
    crossed = set()
    for node in manifest["nodes"]:
        for destination, first, bits, counts, last in rows[node["host"]]:
            steps = [] if first == "none" else [first]
            for direction in order:
                axis = "XYZW".index(direction[1])
                if bits[axis] == direction[0]:
                    steps += [direction] * int(counts.split(":")[axis])
            steps += [] if last == "none" else [last]
            at = list(node["coordinates"])
            for step in steps:
                axis, before = "XYZW".index(step[1]), tuple(at)
                at[axis] = (at[axis] + (1 if step[0] == "+" else -1)) % sizes[axis]
                crossed.add(frozenset([before, tuple(at)]))
                assert manifest["transit"] or tuple(at) in places, f"{node['host']} -> {destination} leaves the job"
            assert at == by_number[int(destination)]["coordinates"], f"{node['host']} -> {destination} ends at {at}"
    return crossed


def hosts(manifest):
    """The job's hosts, in order."""
    return [node["host"] for node in manifest["nodes"]]


def main():
    """Checks the tables of the step this runs in, and says which nodes they are for."""
    job, step = os.environ["SLURM_JOB_ID"], os.environ["SLURM_STEP_ID"]
    manifest, rows = read(Path(os.environ["TURNWISE_OUT"]) / f"job-{job}.{step}")
    links(manifest, rows)
    wanted = subprocess.run(["scontrol", "show", "hostnames", os.environ["SLURM_STEP_NODELIST"]],
                            check=True, text=True, stdout=subprocess.PIPE).stdout.split()
    assert sorted(hosts(manifest)) == sorted(wanted), (manifest["hostlist"], wanted)
    print(f"task on {os.environ['SLURMD_NODENAME']}: step {job}.{step} has tables for {manifest['hostlist']}")


if __name__ == "__main__":
    sys.exit(main())
