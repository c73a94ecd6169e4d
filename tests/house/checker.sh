#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Static analysis: cppcheck over everything of ours, with the header made by the
# build folder $1. First it must find the mistakes planted in planted.c: a
# checker that finds nothing there would find nothing anywhere.
#
# Written for the version of Debian 12. Newer ones lose what asprintf() gives,
# take an array that a called function fills or a counter guards for one without
# values, mmap() for malloc(), and a file for closed where fdopen() failed: some
# twenty times in code that is right. What they get wrong they are not asked.

set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}

command -v cppcheck >/dev/null || {
	echo "cppcheck is not installed"
	exit 77
}

sought="nullPointer memleak uninitvar arrayIndexOutOfBounds"
left_out=""
case $(cppcheck --version) in
"Cppcheck "[01].* | "Cppcheck 2."[0-9] | "Cppcheck 2."[0-9].* | \
	"Cppcheck 2.10"*) ;;
*)
	sought="nullPointer arrayIndexOutOfBounds"
	left_out="--suppress=memleak --suppress=uninitvar
		--suppress=doubleFree --suppress=nullPointerOutOfMemory"
	;;
esac

# shellcheck disable=SC2086
check() {
	cppcheck --quiet --std=c11 --language=c --platform=unix64 -j 2 \
		--enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem \
		--suppress=duplicateAssignExpression \
		--suppress=normalCheckLevelMaxBranches \
		$left_out --library=posix,gnu \
		-D_GNU_SOURCE -DUNCORE_VERSION='"0"' -I . -I src -I include -I "$build" \
		--template='{file}:{line}: {severity}: {message} [{id}]' \
		--error-exitcode=1 "$@"
}

planted=$(check tests/house/planted.c 2>&1)
for id in $sought; do
	case $planted in
	*"[$id]"*) ;;
	*)
		echo "cppcheck overlooks the planted $id: is it broken?"
		exit 1
		;;
	esac
done

set --
for folder in src model server tool proof bridge guest bench; do
	[ -n "$(find "$folder" -name '*.c' 2>/dev/null | head -n 1)" ] &&
		set -- "$@" "$folder"
done
check "$@"
