#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it and runs its tests, the documentation's examples and the notebooks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

environment=target/python
if [ ! -x "$environment/bin/maturin" ]; then
    echo "the Python package is not tested: there is no $environment, see setup.sh"
    exit 0
fi
# Nothing here is about speed, and all but the module itself is there from the tests of Rust.
scripts/wheel.sh target/wheel dev
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall target/wheel/*.whl
scripts/stubs.sh dev target/stubs
# Whoever waits in vain, for a worker that is lost for one, says where and fails.
limit=(-o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true)
"$environment/bin/python" -m pytest --quiet --numprocesses auto "${limit[@]}" tests/python
