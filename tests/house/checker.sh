#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Static analysis: cppcheck over everything of ours, with the header made by the
# build folder $1. First it must find the mistakes planted in planted.c: a
# checker that finds nothing there would find nothing anywhere.
#
# Newer versions take a static variable for a leak where it stays set
# (tool/output.c), and mmap() for malloc().

set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}

command -v cppcheck >/dev/null || {
	echo "cppcheck is not installed"
	exit 77
}

check() {
	cppcheck --quiet --std=c11 --language=c --platform=unix64 -j 2 \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem \
		--suppress=duplicateAssignExpression \
		--suppress=normalCheckLevelMaxBranches \
		--suppress=memleak:tool/output.c \
		--suppress=nullPointerOutOfMemory:bridge/guest/link.c \
		--library=posix,gnu \
		-D_GNU_SOURCE -I . -I src -I include -I "$build" \
		--template='{file}:{line}: {severity}: {message} [{id}]' \
		--error-exitcode=1 "$@"
}

planted=$(check tests/house/planted.c 2>&1)
for id in nullPointer memleak uninitvar arrayIndexOutOfBounds; do
	case $planted in
	*"[$id]"*) ;;
	*)
		echo "cppcheck overlooks the planted $id: is it broken?"
		exit 1
		;;
	esac
done

set --
for folder in src model server tool bridge bench; do
	[ -n "$(find "$folder" -name '*.c' 2>/dev/null | head -n 1)" ] &&
		set -- "$@" "$folder"
done
check "$@"
