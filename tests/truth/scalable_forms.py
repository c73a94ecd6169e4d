#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Laws of the boxes around the mesh of a Xeon Scalable: memory channels, links, I/O
# stacks, power, U-Box. What is expected comes from the size of a workload, from the
# rates of clocks and lanes, or from another counter, never from what the model says.

import json
import os
import subprocess
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
LINE_UNITS = 16  # of 4 bytes
STREAM = "stream:threads=4,op=read,size=1M,passes=1"
STREAM_LINES = (1 << 20) // 64


def counted(workload, *events, settings=(), machine="xeon-scalable-1", sockets=2):
    """Sums over the machine, and the seconds that were simulated."""
    words = [UNCORE, "stat", "-m", machine, "-N", str(sockets), "--detail=full",
             "--json", "-w", workload]
    for event in events:
        words += ["-e", event]
    for setting in settings:
        words += ["--set", setting]
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    if ran.returncode:
        raise AssertionError(" ".join(words) + ": " + ran.stderr)
    said = json.loads(ran.stdout)
    sums = dict.fromkeys(events, 0)
    for row in said["counts"]:
        sums[row["event"]] += row["value"]
    return [sums[event] for event in events] + [said["simulated_seconds"]]


class Opcodes(unittest.TestCase):
    def test_a_flush_is_none_that_a_filter_can_name(self):
        # each line is stored to once, and flushed once
        lines = 5000
        stores, *others, _ = counted(
            "flush:op=write,size=2M,count=%d" % lines, "cha/TOR_INSERTS.IA_MISS_RFO/",
            *("cha/TOR_INSERTS.IA_%s/" % mask for mask in
              ("HIT_RFO", "HIT_DRD", "MISS_DRD", "HIT_CRD", "MISS_CRD")), sockets=1)
        self.assertEqual([stores] + others, [lines, 0, 0, 0, 0, 0])


class Words(unittest.TestCase):
    def test_how_busy_each_box_was_can_be_asked(self):
        ran = subprocess.run(
            [UNCORE, "stat", "-m", "xeon-scalable-1", "-N", "1", "--json", "-M", "busy", "-w",
             STREAM], stdout=subprocess.PIPE, check=True)
        metrics = {row["name"]: row["value"] for row in json.loads(ran.stdout)["metrics"]}
        self.assertGreater(metrics["cha_use"], 0)
        self.assertGreater(metrics["memory_bandwidth_use"], 0)
        self.assertLess(metrics["memory_bandwidth_use"], 100)


class Channels(unittest.TestCase):
    def test_each_line_of_a_stream_is_a_read(self):
        reads, regular, inserts, *ranks, _ = counted(
            STREAM, "imc/CAS_COUNT.RD/", "imc/CAS_COUNT.RD_REG/", "imc/RPQ_INSERTS/",
            *("imc/RD_CAS_RANK%d.ALLBANKS/" % rank for rank in range(8)))
        self.assertEqual(reads, STREAM_LINES)
        self.assertEqual([regular, inserts, sum(ranks)], [reads] * 3)

    def test_banks_and_groups_of_banks_are_all_of_a_rank(self):
        whole, *parts, _ = counted(
            STREAM, "imc/RD_CAS_RANK1.ALLBANKS/",
            *("imc/RD_CAS_RANK1.BANK%d/" % bank for bank in range(16)),
            *("imc/RD_CAS_RANK1.BANKG%d/" % group for group in range(4)))
        self.assertGreater(whole, 0)
        self.assertEqual([sum(parts[:16]), sum(parts[16:])], [whole, whole])
        for group in range(4):
            self.assertEqual(parts[16 + group], sum(parts[4 * group:4 * group + 4]))

    def test_a_channel_is_always_in_one_mode(self):
        events = ["imc/MAJOR_MODES.%s/" % m for m in ("READ", "WRITE", "PARTIAL")]
        *modes, cycles, fixed, _ = counted(
            "ntstore:threads=8,size=1M", *events, "imc/CLOCKTICKS/",
            "imc/FIXED_CTR/", settings=("imc.channels=2",))
        self.assertGreater(modes[0], 0)
        self.assertEqual([sum(modes), cycles], [fixed, fixed])


class Clocks(unittest.TestCase):
    def test_each_box_has_its_own(self):
        events = {"imc/FIXED_CTR/": 12 * 1333.333e6,
                  "pcu/CLOCKTICKS/": 2 * 1100e6, "iio/CLOCKTICKS/": 12 * 1000e6,
                  "upi/CLOCKTICKS/": 6 * 1300e6,
                  "irp/CLOCKTICKS/": 12 * 2400e6, "ubox/FIXED_CTR/": 2 * 2400e6}
        *cycles, seconds = counted(STREAM, *events)
        for (event, hz), num in zip(events.items(), cycles):
            self.assertAlmostEqual(num / (hz * seconds), 1, delta=1e-3, msg=event)


class Links(unittest.TestCase):
    def test_a_line_is_a_header_and_nine_slots_of_data(self):
        lines, sent, received, headers_sent, headers, direct, _ = counted(
            "stream:threads=2,op=read,size=256K,passes=1,node=1", "imc/CAS_COUNT.RD/",
            "upi/TxL_FLITS.ALL_DATA/", "upi/RxL_FLITS.ALL_DATA/",
            "upi/TxL_FLITS.NON_DATA/", "upi/RxL_FLITS.NON_DATA/",
            "upi/DIRECT_ATTEMPTS.D2C/")
        self.assertEqual(lines, (256 << 10) // 64)
        self.assertEqual([sent, received], [9 * lines] * 2)
        # a request for each line, and the header of its data
        self.assertEqual([headers_sent, headers], [2 * lines] * 2)
        self.assertEqual(direct, lines)

    def test_a_line_takes_four_flits_of_192_bits(self):
        slots, seconds = counted("stream:threads=20,op=read,size=2M,passes=1,node=1",
                                 "upi/TxL_FLITS.ALL_DATA/")
        most = 64 * 10.4e9 * 20 / (4 * 192)
        reached = slots * 64 / 9 / seconds / 3
        self.assertLessEqual(reached, most)
        self.assertGreater(reached, 0.85 * most)

    def test_each_slot_goes_past_its_queue_or_into_it(self):
        slots = ["upi/RxL_%s.SLOT%d/" % (way, n)
                 for way in ("BYPASSED", "INSERTS") for n in range(3)]
        data, headers, *ways, _ = counted(
            "pingpong:op=fight,threads=8,place=scatter,size=4K,count=60",
            "upi/RxL_FLITS.ALL_DATA/", "upi/RxL_FLITS.NON_DATA/", *slots)
        self.assertGreater(min(data, headers, *ways[:3]), 0)
        self.assertEqual(sum(ways), data + headers)
        for n in range(3):  # data fill whole flits
            self.assertGreaterEqual(ways[n] + ways[3 + n], data // 3)

    def test_the_second_generation_counts_as_the_first(self):
        lines, slots, _ = counted(
            "stream:threads=2,op=read,size=256K,passes=1,node=1", "imc/CAS_COUNT.RD/",
            "upi/TxL_FLITS.ALL_DATA/", machine="xeon-scalable-2")
        self.assertEqual([lines, slots], [4096, 9 * 4096])

    def test_a_link_is_always_in_one_state(self):
        cycles, *states, _ = counted(
            "ipi:threads=1,target=1,count=500", "upi/CLOCKTICKS/",
            "upi/L1_POWER_CYCLES/", "upi/TxL0_POWER_CYCLES/", "upi/TxL0P_POWER_CYCLES/")
        self.assertGreater(states[1], 0)
        self.assertGreater(states[2], 0)
        self.assertEqual(sum(states), cycles)


class Memory(unittest.TestCase):
    FAR = "chase:threads=1,size=16M,count=1000,node=1"

    def test_a_line_that_the_link_asks_for_comes_sooner(self):
        events = ("m2m/IMC_READS.ALL/", "m2m/PREFCAM_INSERTS/", "m2m/RxC_AD_INSERTS/",
                  "imc/CAS_COUNT.RD/")
        *plain, slow = counted(self.FAR, *events)
        *ahead, fast = counted(self.FAR, *events, settings=("ha.upi_prefetch=on",))
        self.assertEqual(plain, [1000, 0, 1000, 1000])
        self.assertEqual(ahead, [1000, 1000, 2000, 1000])
        self.assertLess(fast, slow)

    def test_who_shares_a_line_with_another_socket_asks_nobody(self):
        # Of each line: a socket reads it for itself (A), another shares it (S), and
        # the home, which comes last, finds that.
        lines = (64 << 10) // 64
        read = "stream:op=read,place=scatter,cpu=%d,node=0,offset=0,size=64K,gap=%d"
        shared, updates, snoops, _ = counted(
            "+".join(read % (cpu, gap) for cpu, gap in ((1, 2000), (2, 4000), (0, 8000))),
            "m2m/DIRECTORY_LOOKUP.STATE_S/", "m2m/DIRECTORY_UPDATE.A2S/",
            "cha/SNOOP_RESP_LOCAL.RSPSFWD/", machine="xeon-scalable-1",
            settings=("core.prefetch=0",), sockets=4)
        self.assertEqual([shared, updates, snoops], [lines, lines, 0])


class Devices(unittest.TestCase):
    def test_an_access_of_a_line_is_sixteen_units(self):
        reads, writes, read, written, inserts, pcirdcur, pcitom, all_read, _ = counted(
            "dma:count=500", "iio/TXN_REQ_OF_CPU.MEM_READ.PART0/",
            "iio/TXN_REQ_OF_CPU.MEM_WRITE.PART0/",
            "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/",
            "iio/DATA_REQ_OF_CPU.MEM_WRITE.PART0/",
            "iio/COMP_BUF_INSERTS.CMPD.ALL_PARTS/", "irp/COHERENT_OPS.PCIRDCUR/",
            "irp/COHERENT_OPS.PCITOM/",
            "iio/DATA_REQ_OF_CPU,umask=4,ch_mask=0x3F,fc_mask=7/")
        self.assertEqual(reads + writes, 2 * 500)
        self.assertEqual([read, written], [LINE_UNITS * reads, LINE_UNITS * writes])
        self.assertEqual([inserts, pcirdcur, pcitom], [reads, reads, writes])
        self.assertEqual(all_read, read)

    def test_counters_that_run_freely(self):
        workload, cycles = "dma:count=500,hub=0", 400000
        registers = {"in": 0xB10, "out": 0xB14, "other port": 0xB11, "clock": 0xA65,
                     "other stack": 0xB00, "its clock": 0xA45}
        lines = ["run %d" % cycles] + ["rdmsr 0 %#x" % r for r in registers.values()]
        ran = subprocess.run(
            [UNCORE, "model", "console", "-m", "xeon-scalable-1", "-w", workload],
            input="\n".join(lines + ["quit", ""]), stdout=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 0)
        got = dict(zip(registers, (int(x, 0) for x in ran.stdout.split()[1:])))
        written, read, _ = counted(workload, "iio/DATA_REQ_OF_CPU.MEM_WRITE.PART0/",
                                   "iio/DATA_REQ_OF_CPU.MEM_READ.PART0/")
        self.assertEqual([got["in"], got["out"]], [written, read])
        self.assertEqual([got["other port"], got["other stack"]], [0, 0])
        for name in ("clock", "its clock"):
            self.assertEqual(got[name], int(cycles * 1000 / 2400))

    def test_what_cores_ask_devices_for(self):
        for op, event, units in (("write", "MEM_WRITE", 2), ("read", "MEM_READ", 2),
                                 ("wc", "MEM_WRITE", LINE_UNITS), ("in", "IO_READ", 1),
                                 ("out", "IO_WRITE", 1)):
            accesses, data, _ = counted(
                "io:op=%s,threads=2,target=hub0,count=50" % op,
                "iio/TXN_REQ_BY_CPU.%s.PART0/" % event,
                "iio/DATA_REQ_BY_CPU.%s.PART0/" % event)
            self.assertEqual([accesses, data], [2 * 50, units * 2 * 50], op)

    def test_each_port_of_each_stack_has_its_own(self):
        """On two sockets, with a device of each; the others have nothing of it."""
        for stack, part in ((0, 0), (1, 3), (3, 1), (5, 2)):
            reads, data, here, other, whole, irp, _ = counted(
                "dma:op=read,count=100,port=%d.%d" % (stack, part),
                "iio/TXN_REQ_OF_CPU.MEM_READ.PART%d/" % part,
                "iio/DATA_REQ_OF_CPU.MEM_READ.PART%d/" % part,
                "iio%d/COMP_BUF_INSERTS.CMPD.PART%d/" % (stack, part),
                "iio/TXN_REQ_OF_CPU.MEM_READ.PART%d/" % ((part + 1) % 4),
                "iio%d/DATA_REQ_OF_CPU,umask=4,ch_mask=0x3F,fc_mask=7/" % stack,
                "irp%d/FAF_INSERTS/" % stack)
            self.assertEqual([reads, data, here, other, whole, irp],
                             [200, 200 * LINE_UNITS, 200, 0, 200 * LINE_UNITS, 200])

    def test_what_cores_ask_a_port_for(self):
        accesses, data, others, _ = counted(
            "io:op=wc,threads=2,target=hub0,port=2.3,count=50",
            "iio2/TXN_REQ_BY_CPU.MEM_WRITE.PART3/",
            "iio2/DATA_REQ_BY_CPU.MEM_WRITE.PART3/",
            "iio/TXN_REQ_BY_CPU.MEM_WRITE.PART0/")
        self.assertEqual([accesses, data, others], [100, 100 * LINE_UNITS, 0])

    def test_devices_that_ask_each_other(self):
        """At who asks always, at who is asked where that is of another stack; memory
        has nothing of it."""
        for op in ("read", "write"):
            mask = "PEER_%s.PART" % op.upper()
            for to, asked in (("4.1", 200), ("2.1", 0)):
                self.assertEqual(counted(
                    "dma:op=%s,count=100,port=2.3,to=%s" % (op, to),
                    "iio2/TXN_REQ_OF_CPU.%s3/" % mask,
                    "iio2/DATA_REQ_OF_CPU.%s3/" % mask,
                    "iio/TXN_REQ_BY_CPU.%s1/" % mask, "iio4/DATA_REQ_BY_CPU.%s1/" % mask,
                    "iio/TXN_REQ_OF_CPU.MEM_%s.PART3/" % op.upper(),
                    "cha/TOR_INSERTS.IO/", "imc/CAS_COUNT.ALL/")[:-1],
                    [200, 200 * LINE_UNITS, asked, asked * LINE_UNITS, 0, 0, 0])

    def test_the_lanes_of_a_port_run_freely_as_they_count(self):
        lines = ["run 400000"] + ["rdmsr 0 %#x" % r for r in (0xB33, 0xB37, 0xB30)]
        workload = "dma:count=300,port=3.3"
        ran = subprocess.run(
            [UNCORE, "model", "console", "-m", "xeon-scalable-1", "-w", workload],
            input="\n".join(lines + ["quit", ""]), stdout=subprocess.PIPE, text=True)
        got = [int(x, 0) for x in ran.stdout.split()[1:]]
        self.assertEqual(sum(got[:2]), 300 * LINE_UNITS)
        self.assertEqual(got[2], 0)

    def test_writes_that_ask_for_their_line(self):
        asks, lines, parts, _ = counted(
            "dma:op=nosnoop,count=300", "irp/TRANSACTIONS.WR_PREF/",
            "irp/COHERENT_OPS.PCITOM/", "irp/COHERENT_OPS.RFO/")
        self.assertEqual([asks, lines, parts], [400, 200, 200])

    def test_what_has_no_port(self):
        for workload, text in (("dma:port=6.0", "0.0 to 5.3"), ("dma:to=1.4", "0.0 to 5.3"),
                               ("dma:op=interrupt,port=1.1", "neither: of interrupts"),
                               ("io:port=1.1,target=socket0", "port alone"),
                               ("dma:op=twice,to=1.1", "op=mix, read or write")):
            ran = subprocess.run(
                [UNCORE, "stat", "-m", "xeon-scalable-1", "-w", workload],
                stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertEqual(ran.returncode, 2, workload)
            self.assertIn(text, ran.stderr)


class Messages(unittest.TestCase):
    def test_interrupts_and_locks(self):
        ipis, locks, _ = counted("lock:threads=2,count=10", "ubox/EVENT_MSG.IPI_RCVD/",
                                 "ubox/LOCK_CYCLES/")
        self.assertEqual(ipis, 0)
        self.assertGreater(locks, 0)
        ipis, _ = counted("ipi:threads=1,target=1,count=30", "ubox/EVENT_MSG.IPI_RCVD/")
        self.assertEqual(ipis, 30)


if __name__ == "__main__":
    unittest.main()
