#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Puts data/<family>/metrics.txt, and that of live families, into the library as
# they are: the same parser reads them and the files of users.

import os
import sys

HEAD = '''/* Made from data/ by tools/genmetrics.py. */
#include <stddef.h>

#include "metric/metric.h"

const struct metric_file metric_files[] = {
'''


def literal(line):
    return '\t  "%s\\n"\n' % line.replace("\\", "\\\\").replace('"', '\\"')


def main(out, *paths):
    with open(out, "w", encoding="ascii") as file:
        file.write(HEAD)
        for path in paths:
            family = os.path.basename(os.path.dirname(path))
            name = "/".join(path.split("/")[-3:])
            file.write('\t{ "%s", "%s",\n' % (family, name))
            with open(path, encoding="ascii") as text:
                for line in text.read().splitlines():
                    file.write(literal(line))
            file.write("\t},\n")
        file.write("\t{ NULL, NULL, NULL },\n};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
