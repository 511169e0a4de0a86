#!/bin/sh
# Accuracy of a model or bundle over labelled images:
#   scripts/exec_accuracy.sh -m mnist
#   scripts/exec_accuracy.sh --model FILE --images DIR|IDX --labels FILE [--image-mode 0to255]
#   scripts/exec_accuracy.sh --bundle DIR --images DIR|IDX --labels FILE
# `--help` lists all options. Uses the project's .venv if there is one, else the python3 on PATH.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python="$root/.venv/bin/python"
[ -x "$python" ] || python=python3
exec "$python" -m inbundle.cli.accuracy --examples-dir "$root/examples" "$@"
