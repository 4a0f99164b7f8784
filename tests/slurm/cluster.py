"""A Slurm cluster of its own: munged, slurmctld and some slurmd on this machine, in a scratch folder.

All ports are free ones, nothing outside the folder is touched, and everything that was started is
stopped again. Needs root (slurmd) and the Debian packages slurm-wlm and munge.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from command import REPOSITORY, turnwise

HOOKS = REPOSITORY / "tools" / "slurm"
PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "squeue", "sinfo", "scancel"]


def missing():
    """Why no cluster can be started here; nothing if one can."""
    absent = [program for program in PROGRAMS if not shutil.which(program)]
    if absent:
        return "not installed: " + ", ".join(absent)
    if os.geteuid() != 0:
        return "slurmd needs root"
    return None


def free_ports(count):
    """Ports nobody listens on, all different, and below those that connections are given."""
    found = []
    for port in random.sample(range(20_000, 32_000), 12_000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError("no free ports")


class Cluster:
    """Nodes n1 to n<count>, each with two processors, perhaps with the hooks of tools/slurm."""

    def __init__(self, count, site=None, seconds_until_down=300):
        """`site` is the text of the site file, without `output` and `log`; without one there are no hooks.
        A node that has been silent for so many seconds is down."""
        self.count = count
        self.seconds_until_down = seconds_until_down
        self.hooked = site is not None
        program = turnwise()
        self.folder = Path(tempfile.mkdtemp(prefix="turnwise-slurm-"))
        for name in ("etc", "state", "spool", "log", "out", "bin"):
            (self.folder / name).mkdir()
        # Tables are read by the tasks, whoever runs them.
        self.folder.chmod(0o755)
        self.site = self.folder / "etc" / "site.toml"
        self.tables = self.folder / "tables"
        self.log = self.folder / "log" / "turnwise.log"
        (self.folder / "bin" / "turnwise").symlink_to(program)
        self.environment = dict(
            os.environ,
            PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}:/usr/sbin",
            SLURM_CONF=str(self.folder / "etc" / "slurm.conf"),
            TURNWISE_SITE=str(self.site),
            TURNWISE_OUT=str(self.tables),
        )
        # A session inside another job must not be taken for it.
        for name in [name for name in self.environment if name.startswith("SLURM_") and name != "SLURM_CONF"]:
            del self.environment[name]
        if self.hooked:
            self.write_site(site)

    def write_site(self, text):
        """Replaces the site file as an administrator should: at once."""
        new = self.site.with_suffix(".new")
        new.write_text(f'output = "{self.tables}"\nlog = "{self.log}"\n{text}')
        new.replace(self.site)

    def run(self, *command, check=True, timeout=60, **options):
        """Runs a command in the cluster's environment."""
        environment = dict(self.environment, **options.pop("env", {}))
        done = subprocess.run(
            [str(word) for word in command], env=environment, cwd=self.folder, text=True, timeout=timeout,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}\n{self.logs()}")
        return done

    def logs(self):
        """The ends of all logs, for when something went wrong."""
        parts = []
        for log in sorted((self.folder / "log").iterdir()):
            lines = log.read_text(errors="replace").splitlines()[-6:]
            parts.append(f"--- {log.name}\n" + "\n".join(lines))
        return "\n".join(parts)

    def hook(self, name):
        """A script that calls a hook of tools/slurm: daemons pass no environment on."""
        script = self.folder / "etc" / name
        names = ("PATH", "SLURM_CONF", "TURNWISE_SITE", "TURNWISE_OUT")
        exports = "".join(f"export {name}='{self.environment[name]}'\n" for name in names)
        script.write_text(f'#!/bin/sh\n{exports}exec "{HOOKS / name}"\n')
        script.chmod(0o755)
        return script

    def configure(self):
        """Writes slurm.conf, cgroup.conf and the topology that turnwise makes of the torus."""
        host = socket.gethostname().split(".")[0]
        self.controller, daemon, *ports = free_ports(2 + self.count)
        s = self.folder
        settings = {
            "ClusterName": "turnwise", "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmUser": "root", "SlurmdUser": "root",
            "AuthType": "auth/munge", "AuthInfo": f"socket={s}/munge.sock", "CryptoType": "crypto/munge",
            "SlurmctldPort": self.controller, "SlurmdPort": daemon,
            "StateSaveLocation": f"{s}/state", "SlurmdSpoolDir": f"{s}/spool/%n",
            "SlurmctldPidFile": f"{s}/slurmctld.pid", "SlurmdPidFile": f"{s}/slurmd.%n.pid",
            "SlurmctldLogFile": f"{s}/log/slurmctld.log", "SlurmdLogFile": f"{s}/log/slurmd.%n.log",
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SwitchType": "switch/none",
            "MpiDefault": "none", "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none", "JobCompType": "jobcomp/none",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU",
            "SchedulerType": "sched/backfill", "SlurmdTimeout": self.seconds_until_down,
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1",
            "ReturnToService": 2, "SlurmdParameters": "config_overrides",
            "InactiveLimit": 0, "KillWait": 5, "MinJobAge": 300,
        }
        if self.hooked:
            settings |= {
                "PrologSlurmctld": self.hook("prolog-slurmctld"), "EpilogSlurmctld": self.hook("epilog-slurmctld"),
                "SrunProlog": self.hook("srun-prolog"), "TaskProlog": self.hook("task-prolog"),
                "TopologyPlugin": "topology/tree",
            }
        lines = [f"{name}={value}" for name, value in settings.items()]
        for node, port in enumerate(ports, start=1):
            lines.append(f"NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                         "CPUs=2 RealMemory=100 State=UNKNOWN")
        lines.append("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
        (s / "etc" / "slurm.conf").write_text("\n".join(lines) + "\n")
        # slurmd opens a cgroup plugin even if nothing uses one; which there is depends on the machine.
        version = "v2" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "v1"
        (s / "etc" / "cgroup.conf").write_text(f"CgroupPlugin=cgroup/{version}\n")
        if not self.hooked:
            return
        topology = self.run("turnwise", "slurm", "export-topology", "--site", self.site).stdout
        (s / "etc" / "topology.conf").write_text(topology)

    def start(self):
        """Starts everything and waits until all nodes are idle."""
        self.configure()
        s = self.folder
        key = s / "etc" / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(64))
        # munged asks for stricter folders than a scratch folder below /tmp is.
        self.run("munged", f"--socket={s}/munge.sock", f"--key-file={key}", f"--pid-file={s}/munged.pid",
                 f"--log-file={s}/log/munged.log", f"--seed-file={s}/munged.seed", "--force")
        self.run("slurmctld", "-c", "-f", self.environment["SLURM_CONF"])
        for node in range(1, self.count + 1):
            (s / "spool" / f"n{node}").mkdir()
            self.start_node(node)
        self.wait(lambda: len(self.run("sinfo", "-h", "-N", "-t", "idle", check=False).stdout.split("\n")) > self.count,
                  "all nodes are idle")

    def start_node(self, node, hiding=None):
        """Starts the daemon of a node, perhaps with another folder in the place of one."""
        words = ["slurmd", "-N", f"n{node}", "-f", self.environment["SLURM_CONF"]]
        if hiding:
            words = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && "$@"', hiding, *words]
        self.run(*words)

    def stop_node(self, node):
        """Ends the daemon of a node, and waits until it has ended."""
        pid = int((self.folder / f"slurmd.n{node}.pid").read_text())
        signal_to(pid, signal.SIGTERM)
        self.wait(lambda: not is_alive(pid), f"the daemon of n{node} has ended")

    def kill_node(self, node):
        """What a power cut does: the daemon of a node dies, and whatever runs there."""
        file = self.folder / f"slurmd.n{node}.pid"
        signal_to(int(file.read_text()), signal.SIGKILL)
        file.unlink()
        # First those who would still tell the controller what has become of the others.
        for _, pid in sorted(self.processes(f"SLURMD_NODENAME=n{node}")):
            signal_to(pid, signal.SIGKILL)

    def processes(self, *setting):
        """Numbers of what runs on the nodes, in whose environment all this is, with False for those that look after jobs."""
        there = []
        wanted = {f"SLURM_CONF={self.environment['SLURM_CONF']}", *setting}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "environ").read_bytes().split(b"\0")
                name = (process / "comm").read_text()
            except OSError:
                continue
            is_on_node = any(word.startswith(b"SLURMD_NODENAME=") for word in words)
            if is_on_node and wanted.issubset(word.decode(errors="replace") for word in words):
                there.append((not name.startswith("slurmstepd"), int(process.name)))
        return there

    def wait(self, holds, what, seconds=40):
        """Waits until something holds, and returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = holds()
            if found:
                return found
            time.sleep(0.05)
        jobs = self.run("scontrol", "--oneliner", "show", "job", check=False).stdout
        raise AssertionError(f"after {seconds} s it is not true that {what}\n{jobs}\n{self.logs()}")

    def stop(self):
        """Ends every daemon by its number and what is left of jobs, then removes the folder."""
        pids = []
        for file in [self.folder / "slurmctld.pid", *self.folder.glob("slurmd.*.pid"), self.folder / "munged.pid"]:
            try:
                pids.append(int(file.read_text()))
            except (OSError, ValueError):
                continue
        for pid in pids:
            signal_to(pid, signal.SIGTERM)
        end = time.monotonic() + 10
        while any(is_alive(pid) for pid in pids) and time.monotonic() < end:
            time.sleep(0.05)
        # Jobs may outlive their node, which outlives its daemon.
        for pid in [*pids, *(pid for _, pid in self.processes())]:
            signal_to(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def signal_to(pid, number):
    """Sends a signal to a process, if there is one."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def is_alive(pid):
    """Does this process run?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
