#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore guest` without a guest: bad options, missing files, and a QEMU (a fake
# one, guest_fake.c) that is not there, dies, is killed or does not answer. Each
# ends with one sentence and the right exit code, and leaves no process behind.

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD", "build"))
FAKE = os.path.join(BUILD, "tests-doors-guest_fake")
LIMIT_S = 30
ANY = ["--kernel", FAKE]  # some file that can be read

wrong = []


def environment(fake, folder, **more):
    return {**os.environ, "UNCORE_QEMU_SYSTEM": FAKE, "FAKE": fake,
            "FAKE_WORDS": os.path.join(folder, "words"), **more}


def start(words, folder, fake="", **more):
    return subprocess.Popen(
        [UNCORE, "guest"] + words, cwd=folder, text=True,
        env=environment(fake, folder, **more), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def check(title, ran, code, wanted):
    """The exit code, and the texts that the message must contain."""
    try:
        output, message = ran.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(ran.pid, signal.SIGKILL)
        wrong.append("%s: no end within %d s" % (title, LIMIT_S))
        return ran.communicate()
    if ran.returncode != code:
        wrong.append("%s: status %d instead of %d: %s" % (
            title, ran.returncode, code, message))
    for text in wanted:
        if text not in message:
            wrong.append("%s: does not say '%s': %s" % (title, text, message))
    return output, message


BAD_INPUT = (
    ([], ["nothing to boot"]),
    (["extra"], ["extra", "--"]),
    (["extra", "--", "-S"], ["extra"]),
    (["--kernel", "/no/kernel"], ["/no/kernel"]),
    (["--kernel", "/"], ["not a file"]),
    (ANY + ["--initrd", "/no/initrd"], ["/no/initrd"]),
    (["--disk", "/no/disk"], ["/no/disk"]),
    (["--initrd", FAKE], ["kernel"]),
    (["--append", "quiet", "--disk", FAKE], ["kernel"]),
    (ANY + ["--memory", "64"], ["64", "128"]),
    (ANY + ["--memory", "4096"], ["4096", "3072"]),
    (ANY + ["--memory", "lots"], ["lots"]),
    (ANY + ["--memory", "1001"], ["1001", "1000"]),
    (ANY + ["--sockets", "1", "--set", "memory.size=1", "--memory", "2048"],
     ["memory.size"]),
    (ANY + ["--sockets", "3"], ["3"]),
    (ANY + ["--set", "cores=1"], ["cores"]),
    (ANY + ["--set", "cores=2", "--inject", "nonsense"], ["nonsense"]),
    (ANY + ["--traffic", "never"], ["never"]),
    (ANY + ["--clock", "wall"], ["wall"]),
    (ANY + ["--workload", "streem"], ["streem"]),
    (ANY + ["--workload", "stream", "--traffic", "always"], ["not both"]),
    (ANY + ["--workload", "stream", "--record", "r"], ["--record"]),
    (ANY + ["--traffic", "always", "--record", "r"], ["marked"]),
    (ANY + ["--record", "/no/folder/r"], ["/no/folder/r"]),
    (ANY + ["--output", "/no/folder/o"], ["/no/folder/o"]),
    (ANY + ["--demo"], ["--demo"]),
    (["--demo", "--traffic", "always"], ["--demo"]),
    (ANY + ["--run", "true"], ["--run"]),
    (["--run", "true", "--demo"], ["--run"]),
    (ANY + ["--with", "/"], ["--with", "--run"]),
    (ANY + ["--boot-limit", "soon"], ["soon"]),
    (ANY + ["--", "-enable-kvm"], ["-enable-kvm", "KVM is not needed"]),
    (ANY + ["--", "-accel", "kvm"], ["-accel"]),
    (ANY + ["--", "--smp", "4"], ["--smp", "--sockets"]),
    (ANY + ["--", "-cpu", "host"], ["-cpu"]),
    (ANY + ["--", "-m", "4G"], ["-m", "--memory"]),
    (ANY + ["--", "-M", "q35"], ["-M"]),
    (ANY + ["--", "-numa", "node"], ["-numa"]),
    (ANY + ["--", "-daemonize"], ["-daemonize"]),
)


def bad_input(folder):
    for words, wanted in BAD_INPUT:
        check(" ".join(words), start(words, folder), 2, wanted)
        if os.path.exists(os.path.join(folder, "words")):
            wrong.append("%s: QEMU was started" % " ".join(words))
    left = os.listdir(folder)
    if left:
        wrong.append("left behind: " + " ".join(left))


def unreadable_kernel(folder):
    if os.geteuid() == 0:
        return  # who may read everything
    path = os.path.join(folder, "kernel")
    with open(path, "w", encoding="ascii"):
        os.chmod(path, 0)
    check("unreadable kernel", start(["--kernel", path], folder), 2,
          [path, "readable"])
    os.remove(path)


def qemu_that_fails(folder):
    rows = (
        ("missing", {"UNCORE_QEMU_SYSTEM": "/no/qemu"}, 1,
         ["/no/qemu", "qemu-system-x86"]),
        ("not in PATH", {"UNCORE_QEMU_SYSTEM": "", "PATH": "/no/folder"}, 1,
         ["qemu-system-x86_64", "apt-get install"]),
        ("no program", {"UNCORE_QEMU_SYSTEM": __file__ + "/x"}, 1,
         ["not found"]),
        ("no plugin", {"UNCORE_LIBEXEC": "/no/folder"}, 1,
         ["/no/folder", "UNCORE_LIBEXEC"]),
    )
    for title, more, code, wanted in rows:
        check(title, start(ANY, folder, **more), code, wanted)
    check("dies at once", start(ANY, folder, "exit"), 1,
          ["status 5", "plugins"])
    check("is killed at once", start(ANY, folder, "signal"), 1, ["signal 9"])
    check("ends with a status", start(ANY, folder, "exit-later"), 5, [])
    check("is killed", start(ANY, folder, "signal-later"), 128 + 9, [])


def await_words(ran, folder):
    """The process of the fake QEMU, once it has written its words."""
    path = os.path.join(folder, "words")
    for _ in range(1000):
        found = subprocess.run(["pgrep", "-P", str(ran.pid)],
                               stdout=subprocess.PIPE, text=True,
                               check=False).stdout.split()
        if found and os.path.exists(path):
            return int(found[0])
        time.sleep(0.01)
    wrong.append("QEMU was never started")
    return 0


def is_gone(pid):
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except OSError:
            return True
        time.sleep(0.01)
    return False


def end(title, fake, number, code, folder):
    """A signal for uncore; QEMU must not outlive it."""
    ran = start(ANY, folder, fake)
    pid = await_words(ran, folder)
    if fake != "silent":
        ran.stdout.readline()
    os.kill(ran.pid, number)
    check(title, ran, code, [])
    if pid and not is_gone(pid):
        wrong.append("%s: QEMU lives on" % title)
        os.kill(pid, signal.SIGKILL)
    os.remove(os.path.join(folder, "words"))


def ends(folder):
    end("asked to end", "stay", signal.SIGTERM, 128 + 15, folder)
    end("Ctrl-C", "stay", signal.SIGINT, 128 + 15, folder)
    end("QEMU is deaf", "deaf", signal.SIGTERM, 128 + 9, folder)
    end("uncore is killed", "stay", signal.SIGKILL, -9, folder)
    end("asked to end while starting", "silent", signal.SIGTERM, -15, folder)


def real_qemu(folder):
    """A real QEMU, whose guest never begins (-S), and its plugin."""
    plugin = os.path.join(BUILD, "libuncore-guest.so")
    if not shutil.which("qemu-system-x86_64") or not os.path.exists(plugin):
        print("no qemu-system-x86_64 here: only the fake one is tried")
        return
    machine = ["--sockets", "1", "--set", "cores=2"]
    for title, victim, code in (("QEMU is killed", "qemu", 128 + 9),
                                ("uncore is killed", "uncore", -9)):
        ran = start(machine + ["--socket", "socket", "--", "-S"], folder,
                    UNCORE_QEMU_SYSTEM="qemu-system-x86_64")
        pid = await_socket(ran, os.path.join(folder, "socket"))
        os.kill(pid if victim == "qemu" else ran.pid, signal.SIGKILL)
        check("real QEMU: " + title, ran, code, [])
        if pid and not is_gone(pid):
            wrong.append("real QEMU: %s, and QEMU lives on" % title)
            os.kill(pid, signal.SIGKILL)
        if os.path.exists(os.path.join(folder, "socket")):
            os.remove(os.path.join(folder, "socket"))


def await_socket(ran, path):
    """QEMU's process, once its plugin has answered and uncore went on."""
    for _ in range(2000):
        if os.path.exists(path):
            return int(subprocess.run(
                ["pgrep", "-P", str(ran.pid)], text=True, check=False,
                stdout=subprocess.PIPE).stdout.split()[0])
        time.sleep(0.01)
    wrong.append("the plugin never attached")
    return 0


def summary(folder):
    _, message = check("summary", start(ANY + ["--json"], folder, "read"), 0,
                       [])
    counted = json.loads(message)
    if (counted["register_reads"], counted["register_faults"]) != (1000, 0):
        wrong.append("1000 reads: " + message)
    path = os.path.join(folder, "out")
    check("summary in a file", start(ANY + ["-j", "-o", path], folder), 0, [])
    with open(path, encoding="utf-8") as file:
        if json.load(file)["machine"] != "xeon-e7":
            wrong.append("the file has another machine")
    check("full disk", start(ANY + ["-o", "/dev/full"], folder), 1,
          ["/dev/full"])


def stat(words, folder, code, wanted):
    """The counts, or the message is checked."""
    ran = subprocess.run([UNCORE, "stat"] + words, cwd=folder, text=True,
                         capture_output=True, timeout=LIMIT_S, check=False)
    title = "stat " + " ".join(words)
    if ran.returncode != code:
        wrong.append("%s: status %d: %s" % (title, ran.returncode, ran.stderr))
    for text in wanted:
        if text not in (ran.stderr if code else ran.stdout):
            wrong.append("%s: no '%s' in %s%s" % (title, text, ran.stdout,
                                                  ran.stderr))


def replay(folder):
    """Two regions of 1000 and 2000 lines; each is missed once."""
    check("record", start(ANY + ["--record", "kept"], folder, "walk"), 0,
          ["3000  accesses", "2  marked regions"])
    os.remove(os.path.join(folder, "words"))
    if os.listdir(folder) != ["kept"]:
        wrong.append("a recording leaves " + " ".join(os.listdir(folder)))
    events = ["-e", "cbox/LLC_MISSES.ALL/", "-e", "bbox/IMT_INSERTS_RD/"]
    again = ["--replay", "kept", "-x", ";"]
    stat(again + events, folder, 0,
         ["3000;events;cbox/LLC_MISSES.ALL/", "3000;events;bbox/IMT_INSERTS_RD/"])
    stat(again + events + ["--region", "1"], folder, 0,
         ["1000;events;cbox/LLC_MISSES.ALL/", "1000;events;bbox/IMT_INSERTS_RD/"])
    stat(again + events + ["--region=2", "--per-socket"], folder, 0,
         ["S1;10;2000;events;cbox/LLC_MISSES.ALL/"])
    stat(again + ["--region", "3"], folder, 2, ["1 to 2"])
    stat(again + ["--region", "0"], folder, 2, ["1 to 2"])
    stat(again + ["--region", "x"], folder, 2, ["x"])
    stat(again + ["--sockets", "4"], folder, 2, ["--set"])
    stat(again + ["--set", "cores=4"], folder, 2, ["CPU 19"])
    stat(again + ["--workload", "idle"], folder, 2, ["--replay"])
    stat(again + ["--", "true"], folder, 2, ["--replay"])
    stat(["--replay", "/no/file"], folder, 2, ["/no/file"])
    stat(["--replay", FAKE], folder, 2, ["not a recording"])
    stat(["--replay", "/"], folder, 2, ["not a recording"])
    stat(["--workload", "idle", "--region", "1"], folder, 2, ["--region"])
    check("nothing recorded", start(ANY + ["--record", "empty"], folder), 0,
          ["no program in the guest marked a region"])
    stat(["--replay", "empty"], folder, 2, ["empty"])


def socket_beside(folder):
    """Somebody else counts while the guest is halted: wall time passes."""
    path = os.path.join(folder, "socket")
    ran = start(ANY + ["--socket", path], folder, "stay")
    await_socket(ran, path)
    ran.stdout.readline()
    counted = subprocess.run(
        [UNCORE, "stat", "--on", "socket:" + path, "-x", ";", "-e",
         "wbox/FIXED_CTR/", "--", "sleep", "0.3"], capture_output=True,
        text=True, timeout=LIMIT_S, check=False)
    if counted.returncode or int(counted.stderr.split(";")[0]) < 1000:
        wrong.append("stat beside a guest: %s%s" % (counted.stdout,
                                                    counted.stderr))
    ran.send_signal(signal.SIGTERM)
    check("guest with a socket", ran, 128 + 15, [])
    if os.path.exists(path):
        wrong.append("the socket stays behind")


def command_line(folder):
    """What QEMU gets to see of the machine."""
    with open(os.path.join(folder, "a,b"), "wb") as disk:
        disk.write(bytes(1024))
    check("words", start(ANY + ["--sockets", "4", "--set", "cores=6",
                                "--append", "quiet", "--disk", disk.name,
                                "--memory", "2048", "--", "-display", "gtk"],
                         folder), 0, [])
    with open(os.path.join(folder, "words"), encoding="utf-8") as file:
        words = file.read().split("\n")
    for wanted in ("24,sockets=4,cores=6,threads=1", "tcg,thread=single",
                   "node,nodeid=3,memdev=socket3,cpus=18-23",
                   "memory-backend-ram,id=socket1,size=%d" % (512 << 20),
                   "2048", "console=ttyS0 no_timer_check panic=-1 quiet",
                   "-nographic", "gtk",
                   "file=%s,format=raw,if=virtio" % disk.name.replace(
                       ",", ",,")):
        if wanted not in words:
            wrong.append("QEMU is not told %s: %s" % (wanted, words))
    cpu = words[words.index("-cpu") + 1]
    for wanted in ("family=6", "model=47", "-hypervisor", "2.40GHz"):
        if wanted not in cpu:
            wrong.append("the CPU has no %s: %s" % (wanted, cpu))


def main():
    for part in (bad_input, unreadable_kernel, qemu_that_fails, ends,
                 real_qemu, summary, replay, socket_beside, command_line):
        with tempfile.TemporaryDirectory(prefix="uncore-options-") as folder:
            part(folder)
    for line in wrong:
        print(line)
    print("%d bad inputs, %d things wrong" % (len(BAD_INPUT), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
