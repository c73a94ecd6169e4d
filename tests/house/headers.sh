#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Each public header stands alone: it compiles as the only include, in strict
# C11 without extensions, and in C++ where there is a compiler for it.

set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
wrong=0

# try COMPILER LANGUAGE HEADER [FLAG...]
try() {
	compiler=$1 language=$2 header=$3
	shift 3
	printf '#include "uncore/%s"\nextern int something;\n' "$header" \
		>"$folder/try"
	"$compiler" -x "$language" "$@" -Wall -Wextra -Wpedantic -Werror \
		-fsyntax-only -I include "$folder/try" || {
		echo "include/uncore/$header does not stand alone in $language"
		wrong=1
	}
}

for path in include/uncore/*.h; do
	header=${path##*/}
	try "${CC:-cc}" c "$header" -std=c11
	command -v c++ >/dev/null && try c++ c++ "$header" -std=c++11
done
exit $wrong
