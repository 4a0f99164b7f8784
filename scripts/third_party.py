#!/usr/bin/env python3
"""Writes what is linked into a package of this workspace, with its licences: third_party.py PACKAGE FILE.

All crates that the package needs on this machine's kind of system, as Cargo.lock has them: name, version, licence, repository, and
the texts of the licences that lie in their sources, each text once.
The same lock file makes the same bytes: everything is sorted, and nothing tells when or where it was written.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXTS = re.compile(r"(licen[cs]e|unlicen[cs]e|copying|copyright|notice)", re.IGNORECASE)
# Sources that only talk of licences.
CODE = {".rs", ".py", ".toml", ".sh", ".html", ".hbs"}
RULE = "=" * 100


def output(*words):
    told = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if told.returncode != 0:
        sys.exit(f"third_party.py: {' '.join(words)} failed, as it says above")
    return told.stdout


def compiler():
    """What `rustc` says of itself: its release and the system that it is for."""
    facts = (line.partition(": ") for line in output("rustc", "-vV").splitlines())
    return {name: value for name, _, value in facts}


def crates(package, host):
    """The crates of others that are linked into a package."""
    # Not offline: who has only built the command has not got what the tests need, which is asked for too.
    told = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host))
    packages = {of["id"]: of for of in told["packages"]}
    needs = {
        node["id"]: [of["pkg"] for of in node["deps"] if any(kind["kind"] is None for kind in of["dep_kinds"])]
        for node in told["resolve"]["nodes"]
    }
    ours = set(told["workspace_members"])
    first = next((of for of in ours if packages[of]["name"] == package), None)
    if first is None:
        sys.exit(f"third_party.py: no package of this workspace is called {package}")
    found, ahead = set(), [first]
    while ahead:
        of = ahead.pop()
        if of not in found:
            found.add(of)
            ahead += needs[of]
    return sorted((packages[of] for of in found - ours), key=lambda of: (of["name"], of["version"]))


def texts(crate):
    """The texts of a crate's licences: at the top of its sources, in a folder for them, or where it says."""
    folder = Path(crate["manifest_path"]).parent
    found = {path for path in folder.iterdir() if TEXTS.match(path.name)}
    for inner in [path for path in found if path.is_dir()]:
        found |= set(inner.rglob("*"))
    if crate["license_file"]:
        found.add(folder / crate["license_file"])
    for path in sorted(found):
        if path.is_file() and path.suffix not in CODE:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            yield "\n".join(line.rstrip() for line in lines).strip("\n\f\ufeff")


def main(package, file):
    rust = compiler()
    numbers, whose, rows = {}, {}, []
    for crate in crates(package, rust["host"]):
        called = f"{crate['name']} {crate['version']}"
        own = []
        for text in texts(crate):
            # Indentation and broken lines differ between copies of what is the same to a reader.
            key = hashlib.sha256(" ".join(text.split()).encode()).digest()
            number, _ = numbers.setdefault(key, (len(numbers) + 1, text))
            if number not in own:
                own.append(number)
                whose.setdefault(number, []).append(called)
        terms = crate["license"] or "see its text"
        where = crate["repository"] or crate["homepage"] or f"https://crates.io/crates/{crate['name']}"
        listed = ", ".join(f"text {number}" for number in own) or "no text in its sources"
        rows.append(f"{called}\n    {terms}; {listed}\n    {where}\n")
    rows.append(f"The standard library of Rust {rust['release']}\n    MIT OR Apache-2.0\n    https://github.com/rust-lang/rust\n")
    parts = [
        "Turnwise is made with software of others, which is linked into it. These are the crates of Rust that it needs, with their\n"
        "licences as they state them; where a licence gives a choice, any of its terms will do. The texts that come with them follow.\n",
        *rows,
    ]
    for number, text in numbers.values():
        parts.append(f"{RULE}\ntext {number}: {', '.join(whose[number])}\n{RULE}\n\n{text}\n")
    Path(file).write_text("\n".join(parts), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
