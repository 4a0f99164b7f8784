#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it and runs its tests, the documentation's examples and the notebooks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

environment=target/python
if [ ! -x "$environment/bin/maturin" ]; then
    echo "the Python package is not tested: there is no $environment, see setup.sh"
    exit 0
fi
scripts/wheel.sh target/wheel
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall target/wheel/*.whl
scripts/stubs.sh release target/stubs
"$environment/bin/python" -m pytest --quiet tests/python
