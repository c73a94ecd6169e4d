#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Whole machines by the names that the kernel's drivers give their PMUs: every one is
# an instance of one box, is had by its name as perf lists it, and the doctor sees
# as many of as many kinds. What there is no room for is left out and named, and
# all else counts.
import json
import os
import re
import subprocess
import sys
import tempfile

UNCORE = os.environ.get("UNCORE", "build/uncore")
DEVICES = "bus/event_source/devices/"
PACKAGE = "devices/system/cpu/cpu%d/topology/physical_package_id"
failed = 0


def expect(holds, what):
    global failed
    failed += not holds
    if not holds:
        print("not so: " + what)


def numbered(form, numbers, cpus=(0,)):
    """PMUs by name: on which CPUs they count."""
    return {form % n: cpus for n in numbers}


def kunpeng():
    """Four dies of two packages, CPU 0 and 1; names of drivers/perf/hisilicon."""
    pmus = {}
    for die, cpu in ((1, 0), (3, 0), (5, 1), (7, 1)):
        for form, num in (("hisi_sccl%d_l3c%%d", 16), ("hisi_sccl%d_hha%%d", 2),
                          ("hisi_sccl%d_ddrc%%d", 4), ("hisi_sicl%d_pa%%d", 2)):
            pmus.update(numbered(form % die, range(num), (cpu,)))
    return pmus, {"hisi_sccl_l3c": 32, "hisi_sccl_hha": 4, "hisi_sccl_ddrc": 8,
                  "hisi_sicl_pa": 4}


def xeon():
    """60 kinds: Intel's of two sockets alike, accelerators with every other
    number, numbered through."""
    pmus = numbered("uncore_cha_%d", range(120), (0, 1))
    boxes = {"cha": 120}
    for first, name in ((0, "dsa"), (1, "iax")):
        pmus.update(numbered(name + "%d", range(first, 16, 2)))
        pmus.update(numbered(name + "%d", range(16 + first, 32, 2), (1,)))
        boxes[name] = 8
    for kind in range(56):
        word = "".join(chr(ord("a") + int(d)) for d in "%02d" % kind)
        pmus.update(numbered("uncore_k" + word + "_%d", range(4), (0, 1)))
        boxes["k" + word] = 4
    pmus["uncore_type_8_0"] = pmus["uncore_type_9_0"] = (0,)
    boxes["type_8"] = boxes["type_9"] = 1
    return pmus, boxes


def odd():
    pmus = {}
    for name in ("amd_l3 amd_df amd_iommu_0 amd_iommu_1 l3cache_0_0 l3cache_0_1 "
                 "l3cache_1_0 ali_drw_21000 ali_drw_21080 imx8_ddr0 "
                 "hisi_pcie0_core0 hisi_pcie0_core1 cxl_pmu_mem0.0 "
                 "cxl_pmu_mem1.0 uncore_m2pcie uncore_b2cmi_0 uncore_b2cmi_1 "
                 "nvidia_pcie_pmu_0_rc_0 nvidia_pcie_pmu_0_rc_1 "
                 "nvidia_nvlink_c2c0_pmu_0 i915 power xe_0000_03_00.0 "
                 "starfive_starlink_pmu").split():
        pmus[name] = (0,)
    return pmus, {
        "amd_l3": 1, "amd_df": 1, "amd_iommu": 2, "l3cache": 3, "ali_drw": 2,
        "imx8_ddr": 1, "hisi_pcie_core": 2, "cxl_pmu_mem": 2, "m2pcie": 1,
        "b2cmi": 2, "nvidia_pcie_pmu_rc": 2, "nvidia_nvlink_c2c0_pmu": 1,
        "i915": 1, "power": 1, "xe_0000_03_00.0": 1, "starfive_starlink_pmu": 1}


def files(pmus):
    found = {PACKAGE % 0: "0", PACKAGE % 1: "1"}
    for number, (name, cpus) in enumerate(pmus.items()):
        found[DEVICES + name + "/type"] = str(100 + number)
        found[DEVICES + name + "/cpumask"] = ",".join(map(str, cpus))
        found[DEVICES + name + "/format/event"] = "config:0-7"
        found[DEVICES + name + "/events/reads"] = "event=0x3"
    return found


def save(folder, pmus):
    """As a capture, and as the sysfs of a root folder."""
    name = os.path.join(folder, "capture")
    with open(name, "w", encoding="ascii") as file:
        for path, text in files(pmus).items():
            file.write("%s = %s\n" % (path, text))
            whole = os.path.join(folder, "root/sys", path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="ascii") as other:
                other.write(text + "\n")
    kernel = os.path.join(folder, "root/proc/sys/kernel")
    os.makedirs(kernel)
    with open(kernel + "/perf_event_paranoid", "w", encoding="ascii") as file:
        file.write("-1\n")
    return "perf:" + name


def run(*words):
    done = subprocess.run([UNCORE, *words], encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(done.returncode == 0, "%s ends with %d: %s" % (
        " ".join(words[:4]), done.returncode, done.stderr[:500]))
    return done


def listed(where):
    done = run("list", "-m", where)
    return {box: int(num) for box, num in re.findall(
        r"^(\S+) \(.*\): (\d+) per socket", done.stdout, re.M)}, done.stderr


def try_machine(make):
    pmus, boxes = make()
    with tempfile.TemporaryDirectory() as folder:
        where = save(folder, pmus)
        found, warned = listed(where)
        expect(found == boxes and not warned, "%s: %s" % (make.__name__, {
            box: (found.get(box), boxes.get(box))
            for box in set(found) | set(boxes)
            if found.get(box) != boxes.get(box)}))
        events = json.loads(run("encode", "--json", "-m", where, *(
            name + "/reads/" for name in pmus)).stdout)
        asked = [event["kernel"].partition("/")[0] for event in events]
        expect(asked == list(pmus), "%s: %s" % (make.__name__, [
            pair for pair in zip(asked, pmus) if pair[0] != pair[1]][:5]))
        text = run("doctor", "--root", os.path.join(folder, "root")).stdout
        others = {"i915", "power", "xe_0000_03_00.0"}
        wanted = "the kernel has %d PMUs" % len(set(pmus) - others)
        expect(wanted in text, "%s: %s\n%s" % (make.__name__, wanted, text))


# Box, its events with unit and scale or none, which way they tell.
MEMORY = (
    ("uncore_imc_%d", {"cas_count_read": "MiB", "cas_count_write": "MiB"}, "rw"),
    ("uncore_imc_free_running_%d", {"data_read": "MiB", "data_write": "MiB",
                                    "data_total": "MiB"}, "rw"),
    ("uncore_imc", {"data_reads": "MiB", "data_writes": "MiB",
                    "gt_requests": "MiB"}, "rw"),
    ("uncore_imc_%d", {"cas_count_read_sch0": "MiB",
                       "cas_count_read_sch1": "MiB"}, "r"),
    ("nvidia_scf_pmu_%d", {"cmem_rd_data": None, "cmem_wr_total_bytes": None,
                           "gmem_rd_data": None}, "rw"),
    ("nvidia_ucf_pmu_%d", {"cmem_rd_bytes": None, "cmem_wr_bytes": None}, "rw"),
    ("hisi_sccl1_ddrc%d", {"flux_rd": None, "flux_wr": None}, "rw"),
    ("ali_drw_2100%d", {"hif_rd": None, "hif_wr": None, "hif_rmw": None}, "rw"),
    ("meson_ddr_bw", {"total_rw_bytes": "MB"}, "b"),
    ("uncore_iio_%d", {"bw_in_port0": "MiB"}, ""),
    ("uncore_imc_%d", {"clockticks": None, "rd_latency": "ns"}, ""),
)


def memory(form, events, ways):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "capture")
        with open(name, "w", encoding="ascii") as file:
            for n in (0, 1):
                pmu = form % n if "%" in form else form
                for path, text in files({pmu: (0,)}).items():
                    file.write("%s = %s\n" % (path, text))
                for event, unit in events.items():
                    start = "%s%s/events/%s" % (DEVICES, pmu, event)
                    file.write("%s = event=0x1\n" % start)
                    if unit:
                        file.write("%s.unit = %s\n%s.scale = 6.1e-5\n" % (
                            start, unit, start))
        text = run("list", "-m", "perf:" + name, "--metrics").stdout
        found = "".join(way for way, metric in (
            ("r", "memory_read_bandwidth"), ("w", "memory_write_bandwidth"),
            ("b", "memory_bandwidth")) if re.search(
                r"^ *%s " % metric, text, re.M))
        wanted = ways + "b" * (ways == "rw")
        expect(found == wanted, "%s: %s, and not %s" % (form, found, wanted))


def too_many():
    """300 kinds, and a box of 300 instances: 255 of each are had."""
    pmus = numbered("uncore_big_%d", range(300))
    for kind in range(300):
        word = "".join(chr(ord("a") + int(d)) for d in "%03d" % kind)
        pmus["uncore_k" + word] = (0,)
    with tempfile.TemporaryDirectory() as folder:
        where = save(folder, pmus)
        found, warned = listed(where)
        expect(len(found) > 200 and found["big"] > 200, str(len(found)))
        expect("left out" in warned and "big from" in warned, warned)
        for word in pmus:
            box = word[len("uncore_"):]
            if not box.startswith("big"):
                expect((box in found) != (re.search(
                    r"\b%s\b" % box, warned) is not None), box)
        run("encode", "-m", where, "big0/reads/", "kaaa/reads/")


def too_long():
    """A name that nothing has room for costs its own PMU alone."""
    pmus = numbered("uncore_%s_%%d" % ("long" * 20), range(3))
    pmus["uncore_short"] = (0,)
    with tempfile.TemporaryDirectory() as folder:
        found, warned = listed(save(folder, pmus))
        expect(found == {"short": 1}, str(found))
        expect(warned.count("uncore_longlong") == 3, warned)


def not_understood():
    """What a capture says in a way that the kernel does not is refused."""
    line = DEVICES + "x_0/%s = %s\n"
    good = PACKAGE % 0 + " = 0\n" + "".join(
        line % pair for pair in (("type", "9"), ("cpumask", "0"),
                                 ("format/event", "config:0-7"),
                                 ("events/e", "event=1")))
    mask = line % ("cpumask", "0")
    cases = [(good, None), (good + mask, None),
             (good.replace(mask, line % ("cpumask", "0,2-3 ")), None)]
    cases += [(good.replace(mask, line % ("cpumask", text)), "x_0")
              for text in ("0x3", "0-", "1,0", "0,0", "0;1", "-", "0,", "0,,1",
                           "zz", "0 1")]
    cases += [(good + line % pair, DEVICES + "x_0/" + pair[0])
              for pair in (("cpumask", "1"), ("events/e", "event=2"),
                           ("format/event", "config:8-15"))]
    for text, blamed in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "capture")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            done = subprocess.run(
                [UNCORE, "encode", "-m", "perf:" + path, "x/e/"],
                capture_output=True, text=True, check=False)
        expect(done.returncode == (2 if blamed else 0) and
               (blamed or "") in done.stderr, text + done.stderr)


def main():
    for make in (kunpeng, xeon, odd):
        try_machine(make)
    for row in MEMORY:
        memory(*row)
    too_many()
    too_long()
    not_understood()
    return failed


if __name__ == "__main__":
    sys.exit(main())
