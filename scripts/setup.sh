#!/usr/bin/env bash
# Makes sure that what a build (`setup.sh build`), the demo (`setup.sh demo`), the tests (`setup.sh test`), the wheel
# (`setup.sh dist`) and generated files (`setup.sh docs`) need is there.
# Silent if it is; installs what is missing and can be installed without asking; says what else to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

purpose=${1:-build}
# A compiler installed a moment ago is not in the PATH of this shell yet.
[ -f "${CARGO_HOME:-$HOME/.cargo}/env" ] && . "${CARGO_HOME:-$HOME/.cargo}/env"

commands=(cc)
[ "$purpose" = build ] || commands+=(python3)
# Instructions of the engine are counted.
[ "$purpose" != test ] || commands+=(valgrind)
# Jobs are tested on a Slurm cluster of our own, which only root can start.
if [ "$purpose" = test ] && [ "$(id -u)" -eq 0 ]; then
    commands+=(slurmctld slurmd srun munged)
fi
# Tables are loaded into a real subnet manager on a simulated fabric.
[ "$purpose" != test ] || commands+=(opensm ibsim saquery ibdmchk)
missing=()
# OpenSM and its tools are not in everybody's path.
PATH=$PATH:/usr/sbin
for command in "${commands[@]}"; do
    command -v "$command" >/dev/null || missing+=("$command")
done

become_root=()
[ "$(id -u)" -eq 0 ] || become_root=(sudo --non-interactive)
install=("${become_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --quiet)
if [ ${#missing[@]} -gt 0 ]; then
    packages=()
    for command in "${missing[@]}"; do
        case $command in
            cc) packages+=(gcc libc6-dev) ;;
            slurmctld) packages+=(slurmctld) ;;
            slurmd) packages+=(slurmd) ;;
            srun) packages+=(slurm-client) ;;
            munged) packages+=(munge) ;;
            ibsim) packages+=(ibsim-utils) ;;
            saquery) packages+=(infiniband-diags) ;;
            ibdmchk) packages+=(ibutils) ;;
            *) packages+=("$command") ;;
        esac
    done
    if ! command -v apt-get >/dev/null ||
        ! { "${install[@]}" update && "${install[@]}" install --yes "${packages[@]}"; } >/dev/null; then
        echo "setup: please install ${missing[*]}" >&2
        exit 1
    fi
    echo "setup: installed ${packages[*]}" >&2
fi

# One simulation by several processes is tested with both MPIs that everybody has; skipped without.
if [ "$purpose" = test ] && ! { command -v mpicc.openmpi && command -v mpicc.mpich; } >/dev/null; then
    packages=(libopenmpi-dev openmpi-bin libmpich-dev mpich libclang-dev)
    if command -v apt-get >/dev/null && { "${install[@]}" update && "${install[@]}" install --yes "${packages[@]}"; } >/dev/null 2>&1; then
        echo "setup: installed ${packages[*]}" >&2
    else
        echo "setup: there is no MPI, and apt-get does not get it: simulations by several processes are not tested" >&2
    fi
fi

# Archives of OTF2 are written and converted with their own library; what needs it is skipped without.
if [ "$purpose" = test ] && ! python3 -c 'import otf2' 2>/dev/null; then
    if python3 -m pip install --quiet --disable-pip-version-check otf2 >/dev/null 2>&1; then
        echo "setup: installed otf2 for python3" >&2
    else
        echo "setup: python3 has no otf2, and pip does not get it: its tests are skipped" >&2
    fi
fi

# Reports are tested in a browser; what needs it is skipped without.
if [ "$purpose" = test ] && ! command -v chromium >/dev/null; then
    if command -v apt-get >/dev/null && { "${install[@]}" update && "${install[@]}" install --yes chromium; } >/dev/null 2>&1; then
        echo "setup: installed chromium" >&2
    else
        echo "setup: there is no chromium, and apt-get does not get it: tests in a browser are skipped" >&2
    fi
fi
if [ "$purpose" = test ] && ! python3 -c 'import axe_playwright_python, playwright' 2>/dev/null; then
    if python3 -m pip install --quiet --disable-pip-version-check playwright axe-playwright-python >/dev/null 2>&1; then
        echo "setup: installed playwright and axe-playwright-python for python3" >&2
    else
        echo "setup: python3 has no playwright, and pip does not get it: its tests are skipped" >&2
    fi
fi

# The script of reports is checked where there is npm to get a checker with.
if [ "$purpose" = test ] && command -v npm >/dev/null && ! command -v tsc >/dev/null; then
    if npm install --global --silent typescript@5.9 >/dev/null 2>&1; then
        echo "setup: installed typescript" >&2
    else
        echo "setup: npm does not get typescript: the types of scripts are not checked" >&2
    fi
fi

# The Python package is built and tested in an environment of its own; what needs it is skipped without.
environment=target/python
made=$environment/made-of
case $purpose in
    test | docs) needs=(--requirement tests/python/requirements.txt) ;;
    dist) needs=('maturin>=1.13,<2') ;;
    *) needs=() ;;
esac
if [ ${#needs[@]} -gt 0 ] && ! cmp --silent "$made" tests/python/requirements.txt; then
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' &&
        python3 -m venv "$environment" >/dev/null 2>&1 &&
        "$environment/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check "${needs[@]}" >/dev/null 2>&1; then
        [ "$purpose" = dist ] || cp tests/python/requirements.txt "$made"
        echo "setup: made $environment, where the Python package is built" >&2
    else
        rm -rf "$environment"
        echo "setup: there is no Python 3.11 with venv, or pip does not get what is needed: no Python package, and its tests are skipped" >&2
        [ "$purpose" != dist ] || exit 1
    fi
fi

wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if ! command -v cargo >/dev/null; then
    echo "setup: please install Rust $wanted or later, see https://rustup.rs" >&2
    exit 1
fi
found=$(rustc --version | awk '{ print $2 }')
if [ "$(printf '%s\n' "$wanted" "$found" | sort --version-sort | head -n 1)" != "$wanted" ]; then
    echo "setup: Rust $wanted or later is needed, this is $found; \`rustup update\` may help" >&2
    exit 1
fi
