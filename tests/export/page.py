#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The page of `uncore export` in a real browser (Chromium without a window): its
# script runs under the page's own policy, puts the picture in and says when that
# was; the picture has figures. In the suite `long` alone, and where Chromium is.

import re
import shutil
import subprocess
import sys
import tempfile

from rig import LONG, Exporter, check, is_built

BROWSERS = ("chromium", "chromium-browser")


def dump(browser, url, folder):
    """The page as it is after some seconds, and what the browser said."""
    ended = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage", "--no-first-run", "--enable-logging=stderr",
         "--user-data-dir=" + folder, "--timeout=6000",
         "--virtual-time-budget=5000", "--dump-dom", url],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=120, check=True)
    return ended.stdout, ended.stderr


def main():
    if not is_built():
        print("built without libmicrohttpd")
        return 77
    found = [name for name in BROWSERS if shutil.which(name)]
    if not LONG or not found:
        print("a browser starts in the suite long alone" if not LONG
              else "Chromium is not here (Debian's package chromium)")
        return 77
    with Exporter("-w", "random:size=64M,threads=4,count=1000000000") as \
            exporter, tempfile.TemporaryDirectory() as folder:
        text, said = dump(found[0], "http://127.0.0.1:%d/" % exporter.port,
                          folder)
        check("the policy refuses nothing of it: " + said,
              "Content Security Policy" not in said and
              "Uncaught" not in said)
        check("the picture is in the page",
              re.search(r'<div id="picture"[^>]*><svg ', text))
        check("it is the machine", "C-Box 9" in text and "Socket 1" in text)
        check("with figures", re.search(r">[\d.]+ [MG]B/s<", text))
        state = re.search(r'<span id="state">([^<]*)</span>', text).group(1)
        check("and says when it is of: " + state,
              re.search(r"\d+:\d\d:\d\d", state))
        pictures = exporter.scrape().sum("uncore_export_sweeps_total")
        check("it was fetched again: %d sweeps" % pictures, pictures >= 3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
