#!/bin/sh
# Set-up of a checkout: setup.sh VENV [test]
# Makes the virtual environment VENV and installs the package into it, editable; with `test` also the test tools.
# Debian packages that are missing are installed when run as root, else named.
set -eu
venv=$1
for_tests=${2:-}
python=${PYTHON:-python3}
export PIP_DISABLE_PIP_VERSION_CHECK=1

# need COMMAND PACKAGE...: install the packages when the command is missing.
need() {
    command=$1
    shift
    command -v "$command" >/dev/null 2>&1 && return 0
    missing="${missing:-} $*"
}

apt_install() {
    [ -n "${missing:-}" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing Debian packages:$missing"
        # shellcheck disable=SC2086  # a list of words
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing; } \
            >/dev/null || echo "warning: could not install$missing" >&2
    else
        echo "warning: missing programs; install them with: apt-get install$missing" >&2
    fi
    missing=
}

need gcc gcc libc6-dev
need make make
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing="${missing:-} python3-venv"
if [ -n "$for_tests" ]; then
    need g++ g++
    need clang clang
    need arm-none-eabi-gcc gcc-arm-none-eabi libnewlib-arm-none-eabi
    need qemu-system-arm qemu-system-arm
    need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    need arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
    need riscv64-linux-gnu-gcc gcc-riscv64-linux-gnu libc6-dev-riscv64-cross # for its C library: clang compiles
    need qemu-arm qemu-user
    need dot graphviz
fi
apt_install

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
if [ -n "$for_tests" ]; then
    "$venv/bin/pip" install -q -e '.[dev]'
else
    "$venv/bin/pip" install -q -e .
fi
