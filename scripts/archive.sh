#!/usr/bin/env bash
# Packs the release build into FOLDER/turnwise-VERSION-TARGET.tar.gz: the command, man pages, completions, documents, studies.
# The same build makes the same bytes: names are sorted, and times are those of the last commit, or $SOURCE_DATE_EPOCH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:?usage: archive.sh FOLDER}
built="${CARGO_TARGET_DIR:-target}/release/turnwise"
version=$("$built" --version | awk '{ print $2 }')
target=$(rustc -vV | sed -n 's/^host: //p')
name=turnwise-$version-$target
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/$name

mkdir -p "$root/bin" "$root/tools"
# Symbols for debuggers are larger than everything else.
strip --strip-debug -o "$root/bin/turnwise" "$built"
scripts/share.sh "$root/bin/turnwise" "$root"
cp -r ./*.md LICENSE-* turnwise.schema.json docs studies examples "$root"
python3 scripts/third_party.py turnwise "$root/THIRD-PARTY.txt"
# The recipe for Spack builds the repository that it lies in, and there is none here.
mkdir "$root/packaging"
cp packaging/turnwise.def "$root/packaging"
cp tools/check_certificate.py tools/otf2_to_turnwise.py "$root/tools"
cp -r tools/slurm "$root/tools"

mkdir -p "$folder"
tar --create --directory "$scratch" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" \
    --owner=0 --group=0 --numeric-owner --mode=go=u-w "$name" | gzip -9 --no-name >"$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
