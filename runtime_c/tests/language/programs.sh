#!/bin/sh
# Runs the programs of the folders here with an engine and compares what they print.
#
#   programs.sh ENGINE [--write]     --write makes the .out files anew: read them before they are committed
#
# Programs in `float` run with -dialect=float, those in `weak` with -w. NAME.in may start with `// options: ...`; there
# `(lines)` stands for reading the script from standard input. NAME.out has no banner and no seconds; its last line may
# be the exit status.
set -eu
engine=$(realpath "$1")
cd "$(dirname "$0")"

options() {
    case $1 in
    float/*) echo -dialect=float ;;
    weak/*) echo -w ;;
    esac
    sed -n '1s,^// options: *,,p' "$1" | tr -d '\r'
}

run() {
    options=$(options "$1" | tr '\n' ' ')
    cd "$(dirname "$1")"
    case $options in
    "(lines)"*) "$engine" ${options#"(lines)"} < "$(basename "$1")" ;;
    *) "$engine" $options -f "$(basename "$1")" ;;
    esac && status=0 || status=$?
    echo "exit status $status"
}

normalise() {
    sed -E -e '1{/^Inpla .*Interaction nets/d}' \
        -e 's/^\(([0-9]+ interactions)( by [0-9]+ threads?)?, [0-9.]+ sec\)$/(\1)/'
}

passed=0
failed=0
for program in ${FOLDER:-*}/*.in; do
    expected=${program%.in}.out
    got=$( (run "$program") 2>&1 | normalise)
    if [ "${2-}" = --write ]; then
        printf '%s\n' "$got" > "$expected"
        continue
    fi
    tail -n 1 "$expected" | grep -q '^exit status' || got=$(printf '%s\n' "$got" | sed '$d')
    if [ "$got" = "$(cat "$expected")" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $program"
        printf '%s\n' "$got" | diff "$expected" - || :
    fi
done
[ "${2-}" = --write ] || echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
