#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Each public header stands alone: it compiles as the only include, in strict
# C11 without extensions, and in C++ where there is a compiler for it. Whoever
# takes a place for a sentence is called without one in tests/unit/null_errors.c.

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

# They fail without memory only, or while something is under way.
spared='uncore_plan_writes uncore_guest_run uncore_regfs_run
uncore_program_finish uncore_replay_attach uncore_session_part'

names=$(cat include/uncore/*.h | tr -s '\n\t' '  ' |
	sed -E 's:/\*([^*]|\*[^/])*\*/::g' |
	grep -oE '\buncore_[a-z_]+\([^;{}]*char \*\*error\);' |
	sed 's/(.*//' | sort -u)
[ -n "$names" ] || { echo "no function takes a place for a sentence"; wrong=1; }
for name in $names; do
	case " $(echo $spared) " in *" $name "*) continue ;; esac
	grep -q "\b$name(" tests/unit/null_errors.c || {
		echo "$name is not tried without a place for a sentence"
		wrong=1
	}
done
exit $wrong
