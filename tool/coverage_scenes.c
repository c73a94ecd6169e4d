/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The runs of the catalogue. Most have a small last-level cache, so that a
 * short run fills it. N is what their laws can be computed from by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"

#define SLOW_SBOX                                                              \
	"rbox.vna=11 rbox.cycles=1000 sbox.ncs_queue=1 sbox.ncb_queue=1 "      \
	"sbox.ndr_queue=1 sbox.ring_nc_queue=1"
#define SMALL_LLC "llc.slice=12 llc.ways=4"

/* Rows are hit and missed, lines are written back. */
#define DRAM_TRAFFIC                                                           \
	"random:threads=6,size=64M,count=600,write=40,gap=2"                   \
	"+stream:threads=4,size=192K,gap=2"

const struct coverage_scene coverage_scenes[] = {
	/* Memory. `reads`: each of N lines is missed and read once; see
	 * tests/truth/closed_forms.c. */
	{ .name = "reads",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .workload = "stream:threads=1,op=read,size=240K,passes=2",
	  .n = 7680 },
	{ .name = "code",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .workload = "code:threads=4,place=scatter,size=256K,shared=1",
	  .n = 16384 },
	{ .name = "share",
	  .sockets = 2,
	  .sets = "llc.slice=24 llc.ways=4",
	  .workload = "random:shared=1,threads=10,place=scatter,size=256K,"
		      "count=2000,write=40,gap=4" },
	{ .name = "evict",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .workload = "evict:threads=8,size=512K,count=3000,gap=4" },
	{ .name = "fight",
	  .sockets = 4,
	  .workload = "falsesharing:threads=8,place=scatter,size=256,count=400"
		      "+pingpong:op=fight,threads=8,place=scatter,size=128,"
		      "count=200" },
	{ .name = "upgrade",
	  .sockets = 2,
	  .workload = "upgrade:threads=4,size=64K" },
	{ .name = "busy",
	  .sockets = 2,
	  .sets = SMALL_LLC " sbox.ring_snp_queue=31",
	  .workload = "random:threads=20,size=4M,count=600,write=50,gap=0,"
		      "node=0" },
	{ .name = "triad",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .workload = "stream:threads=10,op=triad,size=960K,gap=1" },
	{ .name = "eight",
	  .sockets = 8,
	  .sets = SMALL_LLC,
	  .workload = "random:shared=1,threads=16,place=scatter,size=512K,"
		      "count=300,write=40,gap=2" },
	{ .name = "flush",
	  .sockets = 2,
	  .workload = "flush:threads=2,place=scatter,op=write,count=500"
		      "+ntstore:threads=2,size=128K" },
	{ .name = "eightvn0",
	  .sockets = 8,
	  .sets = SMALL_LLC " rbox.vna=0 rbox.starve_cycles=20",
	  .workload = "random:shared=1,threads=32,place=scatter,size=512K,"
		      "count=200,write=40,gap=0" },
	{ .name = "vn0",
	  .sockets = 2,
	  .sets = SMALL_LLC " rbox.vna=0 rbox.starve_cycles=20 "
			    "rbox.retry_queue=8 io.hubs=2",
	  .workload = "random:shared=1,threads=10,place=scatter,size=512K,"
		      "count=400,write=40,gap=0+io:threads=6,place=scatter,"
		      "op=mix,count=140,gap=1+ipi:threads=4,count=50,"
		      "place=scatter" },
	{ .name = "directory",
	  .sockets = 4,
	  .sets = SMALL_LLC " bbox.directory=on",
	  .workload = "random:shared=1,threads=12,place=scatter,size=256K,"
		      "count=2000,write=40,gap=2" },
	{ .name = "mirror",
	  .sockets = 2,
	  .sets = SMALL_LLC " bbox.mirror=on",
	  .workload = "random:threads=8,place=scatter,size=2M,count=800,"
		      "write=60,gap=2" },
	{ .name = "shared",
	  .sockets = 2,
	  .sets = "llc.forward=0",
	  .workload = "readshared:threads=4,place=scatter,size=64K" },
	{ .name = "sleepy",
	  .sockets = 2,
	  .sets = "qpi.idle_cycles=100",
	  .workload = "chase:threads=2,size=4G,node=1,count=300,gap=500" },
	/* The same with little room in one place or another */
	{ .name = "narrow",
	  .sockets = 2,
	  .sets = SMALL_LLC
	  " cbox.irq=2 cbox.viq=1 cbox.egress=1 "
	  "ring.starve_cycles=1 core.bl_credits=1 cbox.rspf=1",
	  .workload = "random:shared=1,threads=20,size=512K,count=500,"
		      "write=50,gap=0" },
	{ .name = "tracker",
	  .sockets = 2,
	  .sets = SMALL_LLC " bbox.tracker=16",
	  .workload = "random:threads=20,size=2M,count=300,write=50,gap=0" },
	{ .name = "oneway",
	  .sockets = 2,
	  .sets = "llc.slice=2 llc.ways=1",
	  .workload = "random:shared=1,threads=20,place=scatter,size=64K,"
		      "count=400,write=50,gap=0" },
	{ .name = "slowring",
	  .sockets = 4,
	  .sets = SMALL_LLC " sbox.ring_b2s_queue=8 sbox.egress=1 "
			    "cbox.ipq=2 ring.starve_cycles=1",
	  .workload = "random:shared=1,threads=40,size=512K,count=250,"
		      "write=50,gap=0" },
	{ .name = "pinched",
	  .sockets = 2,
	  .sets = SMALL_LLC " sbox.ring_b2s_queue=1 sbox.ring_r2s_queue=1 "
			    "sbox.ring_snp_queue=1 sbox.ring_ndr_queue=1 "
			    "sbox.egress=1 cbox.ipq=1 ring.starve_cycles=1",
	  .workload = "random:shared=1,threads=20,size=512K,count=500,"
		      "write=50,gap=0" },
	{ .name = "backs",
	  .sockets = 1,
	  .sets = SMALL_LLC " core.bl_credits=1 core.bl_credit_cycles=200",
	  .workload = "rfo:threads=10,size=8M,gap=0" },
	{ .name = "crowd",
	  .sockets = 2,
	  .sets = SMALL_LLC " rbox.entry_table=1 bbox.mirror=on",
	  .workload = "random:shared=1,threads=10,size=512K,count=400,"
		      "write=40,gap=0+io:threads=6,op=mix,count=140,gap=0"
		      "+ipi:threads=4,count=50,gap=0" },
	/* Completions wait in front of an S-Box that takes one at a time. */
	{ .name = "slowanswers",
	  .sockets = 2,
	  .sets = SMALL_LLC " rbox.entry_table=1 sbox.ring_ndr_queue=1 "
			    "sbox.cycles=100 qpi.rate=1",
	  .workload = "random:shared=1,threads=20,place=scatter,size=512K,"
		      "count=100,write=40,gap=0" },
	/* Slaves are written to. */
	{ .name = "slaves",
	  .sockets = 2,
	  .sets = SMALL_LLC " rbox.entry_table=1 bbox.mirror=on",
	  .workload = "random:shared=1,threads=10,place=scatter,size=512K,"
		      "count=4000,write=60,gap=0" },
	{ .name = "crowd8",
	  .sockets = 8,
	  .sets = SMALL_LLC " rbox.entry_table=1 rbox.vna=0",
	  .workload = "random:shared=1,threads=40,place=scatter,size=512K,"
		      "count=150,write=40,gap=0" },
	{ .name = "notify",
	  .sockets = 2,
	  .sets = SMALL_LLC " sbox.egress=1 rbox.vna=0 ring.starve_cycles=1",
	  .workload = "ipi:threads=4,target=0,count=100,gap=0"
		      "+special:threads=6,op=mix,count=30,gap=0"
		      "+random:shared=1,threads=10,size=512K,count=300,"
		      "write=50,gap=0" },
	{ .name = "slowsbox",
	  .sockets = 2,
	  .sets = SMALL_LLC " sbox.cycles=400",
	  .workload = "ipi:threads=4,target=0,count=40,gap=0"
		      "+special:threads=6,op=mix,count=20,gap=0"
		      "+random:shared=1,threads=10,size=512K,count=300,"
		      "write=50,gap=0" },
	{ .name = "slowboth",
	  .sockets = 2,
	  .sets = SMALL_LLC " sbox.cycles=400 sbox.bbox_vna=0 rbox.vna=0",
	  .workload = "random:threads=20,size=1M,count=200,write=50,gap=0" },
	{ .name = "grants",
	  .sockets = 2,
	  .sets = "sbox.egress=1 ring.starve_cycles=1",
	  .workload = "upgrade:threads=20,size=32K,passes=2,gap=0" },
	{ .name = "notify8",
	  .sockets = 8,
	  .sets = "rbox.vna=0",
	  .workload = "ipi:threads=8,place=scatter,count=79"
		      "+lock:threads=2,place=scatter,count=5" },
	{ .name = "slowlink",
	  .sockets = 4,
	  .sets = SMALL_LLC " qpi.rate=0.4",
	  .workload = "random:shared=1,threads=40,size=512K,count=100,"
		      "write=50,gap=0" },
	/* S-Boxes whose queues are short and whose neighbours are slow */
	/* The queue of home messages is the smaller, the home slow. */
	{ .name = "narrowhom",
	  .sockets = 2,
	  .sets = "bbox.cycles=200 sbox.bbox_vna=0 sbox.hom_queue=4",
	  .workload = "random:shared=1,threads=20,place=scatter,size=64M,"
		      "count=60,write=50,gap=0" },
	{ .name = "slowhome",
	  .sockets = 2,
	  .sets = "bbox.cycles=1000 sbox.bbox_vna=0",
	  .workload = "random:shared=1,threads=20,place=scatter,size=64M,"
		      "count=60,write=50,gap=0" },
	{ .name = "fullring",
	  .sockets = 2,
	  .sets = "sbox.egress=1 ring.starve_cycles=1",
	  .workload = "readshared:threads=20,place=scatter,size=4M,passes=2" },
	{ .name = "fullring4",
	  .sockets = 4,
	  .sets = "sbox.egress=1 ring.starve_cycles=1 cbox.ipq=1",
	  .workload = "readshared:threads=32,place=scatter,size=2M,passes=2" },
	{ .name = "slowbells",
	  .sockets = 2,
	  .sets = "sbox.cycles=400",
	  .workload = "ipi:threads=8,target=0,count=40,gap=0" },
	{ .name = "slowio",
	  .sockets = 2,
	  .sets = SLOW_SBOX,
	  .workload = "io:threads=20,place=scatter,op=mix,count=60" },
	{ .name = "slowipi",
	  .sockets = 2,
	  .sets = SLOW_SBOX,
	  .workload = "ipi:threads=20,place=scatter,count=60" },
	{ .name = "slowspecial",
	  .sockets = 2,
	  .sets = SLOW_SBOX,
	  .workload = "special:threads=20,place=scatter,count=60" },
	/* Memory controller */
	{ .name = "open",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.page_policy=open",
	  .workload = DRAM_TRAFFIC },
	{ .name = "closed",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.page_policy=closed",
	  .workload = DRAM_TRAFFIC },
	{ .name = "tradeoff",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.sched=tradeoff dram.trefi=600",
	  .workload = DRAM_TRAFFIC },
	{ .name = "rdprio",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.sched=rdprio dram.trefi=600",
	  .workload = DRAM_TRAFFIC },
	{ .name = "wrprio",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.sched=wrprio dram.trefi=600",
	  .workload = DRAM_TRAFFIC },
	{ .name = "adaptive",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.sched=adaptive dram.trefi=600 dram.zqcal=4",
	  .workload = DRAM_TRAFFIC },
	{ .name = "writes",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.write_queue=8 mbox.read_queue=8 "
			    "mbox.retry_queue=4",
	  .workload = "rfo:threads=10,size=2M,gap=0" },
	{ .name = "early",
	  .sockets = 1,
	  .sets = SMALL_LLC " mbox.early_ack=6",
	  .workload = DRAM_TRAFFIC },
	{ .name = "init",
	  .sockets = 1,
	  .sets = "mbox.init=on",
	  .workload = "idle",
	  .cycles = 100000 },
	{ .name = "rest",
	  .sockets = 1,
	  .sets = "mbox.power_down_cycles=500 mbox.self_refresh_cycles=4000",
	  .workload = "chase:size=1G,count=200,gap=20000",
	  .cycles = 1000000 },
	{ .name = "warm",
	  .sockets = 1,
	  .sets = SMALL_LLC " dimm.tau=0.02 dimm.ambient=75 "
			    "dimm.sensor_cycles=2000 dimm.throttle_cycles=1000",
	  .workload = "random:threads=10,size=64M,count=1500,write=40,gap=0",
	  .cycles = 400000 },
	{ .name = "heat",
	  .sockets = 1,
	  .sets = SMALL_LLC " dimm.tau=0.01 dimm.sensor_cycles=1000 "
			    "dimm.throttle_cycles=1000 dimm.fault_cycles=40000",
	  .injects = "heat:at=20000,count=2",
	  .workload = "random:threads=4,size=64M,count=1500,write=40,gap=20",
	  .cycles = 400000 },
	{ .name = "ramp",
	  .sockets = 1,
	  .sets = "dimm.sensor_cycles=1000 dimm.fault_cycles=40000",
	  .injects = "heat:at=20000,count=2",
	  .workload = "idle",
	  .cycles = 200000 },
	{ .name = "idle",
	  .sockets = 2,
	  .sets = "mbox.patrol_cycles=2000",
	  .workload = "idle",
	  .cycles = 200000,
	  .n = 200000 },
	/* What goes wrong */
	{ .name = "smi",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .injects = "smi-crc:rate=0.005,count=20",
	  .workload = DRAM_TRAFFIC },
	{ .name = "ecc",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .injects = "ecc:rate=0.01,count=30",
	  .workload = DRAM_TRAFFIC },
	{ .name = "eccfatal",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .injects = "ecc-uncorrectable:rate=0.01,count=30",
	  .workload = DRAM_TRAFFIC },
	{ .name = "parity",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .injects = "address-parity:rate=0.01,count=30",
	  .workload = DRAM_TRAFFIC },
	{ .name = "poison",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .injects = "poison:rate=0.05,count=30",
	  .workload = "random:shared=1,threads=8,place=scatter,size=512K,"
		      "count=1000,write=50,gap=4" },
	{ .name = "sparing",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .injects = "sparing:at=5000,count=2 ecc:rate=0.01 "
		     "ecc-uncorrectable:rate=0.01",
	  .workload = DRAM_TRAFFIC,
	  .cycles = 400000 },
	{ .name = "pbox",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .injects = "pbox-reset:rate=0.001,count=4",
	  .workload = "random:shared=1,threads=8,place=scatter,size=512K,"
		      "count=1000,write=50,gap=4" },
	{ .name = "mpbox",
	  .sockets = 1,
	  .sets = SMALL_LLC,
	  .injects = "pbox-reset:rate=0.01,count=3,box=8",
	  .workload = DRAM_TRAFFIC },
	{ .name = "qpi",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .injects = "qpi-crc:rate=0.01,count=50,box=1",
	  .workload = "random:shared=1,threads=8,place=scatter,size=512K,"
		      "count=1000,write=50,gap=4" },
	{ .name = "mc",
	  .sockets = 2,
	  .sets = "fault.check_cycles=1000",
	  .injects = "mc-recoverable:rate=0.1,count=5 "
		     "mc-corrected:rate=0.1,count=7 "
		     "mc-uncorrected:rate=0.1,count=3 "
		     "mc-fatal:rate=0.1,count=1",
	  .workload = "random:threads=4,size=1M,count=1000",
	  .cycles = 300000 },
	/* One thing at a time: nobody waits for anybody, so that even how long
	 * something takes has a closed form. A load of memory, of the socket's
	 * own or of another's, or of the LLC: half of N are hits there. */
	{ .name = "alone",
	  .sockets = 2,
	  .workload = "chase:threads=1,size=16M,count=1000,gap=2000",
	  .n = 1000 },
	{ .name = "alone4",
	  .sockets = 4,
	  .workload = "chase:threads=1,size=16M,count=500,gap=2000",
	  .n = 500 },
	{ .name = "far",
	  .sockets = 2,
	  .workload = "chase:threads=1,size=16M,count=1000,node=1,gap=2000",
	  .n = 1000 },
	{ .name = "hits",
	  .sockets = 1,
	  .workload = "chase:threads=1,size=512K,passes=2,gap=100",
	  .n = 8192 },
	/* N rounds of each of two cores, of one socket or of two */
	{ .name = "turns",
	  .sockets = 1,
	  .workload = "pingpong:threads=2,count=500",
	  .n = 500 },
	{ .name = "farturns",
	  .sockets = 2,
	  .workload = "pingpong:threads=2,place=scatter,count=500",
	  .n = 500 },
	/* Lines go from socket to socket, each time long after the last one:
	 * N are read, written, read, read, written and written by another; N
	 * are read twice. */
	{ .name = "states",
	  .sockets = 4,
	  .workload =
		  "stream:op=read,place=scatter,cpu=0,node=0,offset=0,size=4K,"
		  "gap=4000+stream:op=write,place=scatter,cpu=1,node=0,"
		  "offset=0,size=4K,gap=8000+stream:op=read,place=scatter,"
		  "cpu=2,node=0,offset=0,size=4K,gap=12000+stream:op=read,"
		  "place=scatter,cpu=3,node=0,offset=0,size=4K,gap=16000"
		  "+stream:op=write,place=scatter,cpu=4,node=0,offset=0,"
		  "size=4K,gap=20000+stream:op=write,place=scatter,cpu=5,"
		  "node=0,offset=0,size=4K,gap=24000+stream:op=read,"
		  "place=scatter,cpu=6,node=0,offset=4K,size=4K,gap=4500"
		  "+stream:op=read,place=scatter,cpu=7,node=0,offset=4K,"
		  "size=4K,gap=9500",
	  .n = 64 },
	/* What one socket has read two others want at the same time. */
	{ .name = "rivals",
	  .sockets = 4,
	  .workload = "stream:op=read,place=scatter,cpu=2,node=3,offset=0,"
		      "size=16K,gap=4000+stream:op=write,place=scatter,cpu=0,"
		      "node=3,offset=0,size=16K,gap=8000+stream:op=write,"
		      "place=scatter,cpu=1,node=3,offset=0,size=16K,gap=8000" },
	/* Lines that are written past the caches */
	{ .name = "stores",
	  .sockets = 2,
	  .workload = "ntstore:threads=1,size=128K,gap=2000",
	  .n = 2048 },
	/* Cores of one socket that never access a device at the same time */
	{ .name = "ioalone",
	  .sockets = 2,
	  .workload = "io:threads=1,cpu=0,op=mix,count=35,gap=9000"
		      "+io:threads=1,cpu=1,op=mix,count=35,gap=11000"
		      "+io:threads=1,cpu=2,op=mix,count=35,gap=13500"
		      "+io:threads=1,cpu=3,op=mix,count=35,gap=16000"
		      "+io:threads=1,cpu=4,op=mix,count=35,gap=19000" },
	/* Input and output */
	{ .name = "io",
	  .sockets = 2,
	  .workload = "io:threads=20,op=mix,count=70",
	  .n = 200 }, /* of each of the seven kinds */
	/* Second links of a way, on which VN1 is all there is. */
	{ .name = "fario",
	  .sockets = 4,
	  .sets = "rbox.vna=0",
	  .workload = "io:threads=40,place=scatter,op=mix,count=100,gap=0" },
	{ .name = "posted",
	  .sockets = 2,
	  .workload = "io:threads=20,op=wc,count=100,gap=0",
	  .n = 2000 },
	{ .name = "config",
	  .sockets = 2,
	  .workload = "io:threads=10,op=cfgread,target=socket1,count=80"
		      "+io:threads=10,op=cfgwrite,target=socket0,count=80",
	  .n = 800 },
	{ .name = "local",
	  .sockets = 1,
	  .workload = "io:threads=10,op=cfgread,target=socket0,count=80,gap=0",
	  .n = 800 },
	{ .name = "pairs",
	  .sockets = 2,
	  .sets = "core.uncached=2 rbox.vna=0 rbox.entry_table=1",
	  .workload = "io:threads=20,op=in,count=100,gap=0" },
	{ .name = "localpairs",
	  .sockets = 1,
	  .sets = "core.uncached=2",
	  .workload = "io:threads=10,op=cfgread,target=socket0,count=100,"
		      "gap=0" },
	{ .name = "slowpairs",
	  .sockets = 2,
	  .sets = "core.uncached=2 rbox.entry_table=1 rbox.output_queue=11 "
		  "qpi.rate=0.2",
	  .workload = "io:threads=20,op=out,count=40,gap=0" },
	{ .name = "farhome",
	  .sockets = 4,
	  .sets = SMALL_LLC " sbox.cycles=1000 memory.controllers=1",
	  .workload = "random:threads=40,node=0,size=8M,count=60,gap=0" },
	{ .name = "slowgrants",
	  .sockets = 1,
	  .sets = SMALL_LLC " sbox.cycles=1000",
	  .workload = "ntstore:threads=10,size=512K,gap=0" },
	{ .name = "answers",
	  .sockets = 2,
	  .sets = "rbox.vna=0 rbox.cycles=400 sbox.cycles=0",
	  .workload = "special:threads=10,op=mix,count=20,gap=0"
		      "+ipi:threads=10,target=0,count=60,gap=0" },
	{ .name = "iobusy",
	  .sockets = 2,
	  .sets = SMALL_LLC " cbox.irq=2",
	  .workload = "io:threads=10,place=scatter,op=mix,count=140,gap=1"
		      "+random:shared=1,threads=10,place=scatter,size=512K,"
		      "count=500,write=50,gap=0" },
	{ .name = "dma",
	  .sockets = 2,
	  .sets = SMALL_LLC,
	  .workload = "dma:size=128K,count=4000,offset=0+random:shared=1,"
		      "threads=4,size=128K,count=1000,write=30,offset=0,"
		      "place=scatter" },
	{ .name = "dmaread",
	  .sockets = 2,
	  .workload = "dma:op=read,size=128K,count=2000",
	  .n = 2000 },
	{ .name = "nosnoop",
	  .sockets = 2,
	  .workload = "dma:op=nosnoop,size=128K,count=3000,gap=10",
	  .n = 1000 }, /* of each kind */
	/* far sockets: victims cross requests for them on the way */
	{ .name = "overtaken",
	  .sockets = 4,
	  .sets = "llc.slice=2 llc.ways=2 qpi.latency=1000",
	  .workload = "random:shared=1,threads=32,place=scatter,size=64K,"
		      "count=500,write=60,gap=2" },
	{ .name = "dmawrite",
	  .sockets = 2,
	  .workload = "dma:op=write,size=128K,count=2000",
	  .n = 2000 },
	{ .name = "twice",
	  .sockets = 2,
	  .workload = "dma:op=twice,size=128K,count=1000",
	  .n = 1000 },
	{ .name = "bell",
	  .sockets = 2,
	  .workload = "dma:op=interrupt,target=socket1,count=200",
	  .n = 200 },
	/* System */
	{ .name = "ipi",
	  .sockets = 2,
	  .workload = "ipi:threads=20,count=38",
	  .n = 760 },
	{ .name = "lock",
	  .sockets = 2,
	  .workload = "lock:threads=4,place=scatter,count=50",
	  .n = 200 },
	{ .name = "special",
	  .sockets = 2,
	  .workload = "special:threads=20,op=mix,count=30",
	  .n = 600 },
	{ .name = "sleep",
	  .sockets = 2,
	  .workload = "sleep:threads=12,place=scatter,count=20" },
	/* one core wakes another */
	{ .name = "naps",
	  .sockets = 2,
	  .workload = "sleep:threads=2,count=20",
	  .n = 20 },
	{ .name = "spoof",
	  .sockets = 1,
	  .sets = "core.spoof_credits=1 cbox.rspf=1",
	  .workload = "sleep:threads=6,count=30,offset=0,size=24K+random:"
		      "shared=1,threads=4,size=24K,count=6000,write=50,"
		      "offset=0,gap=8" },
	{ .name = "hot",
	  .sockets = 1,
	  .sets = "heat.tau_cycles=3000 heat.rise=70 heat.tm1_cycles=2000 "
		  "heat.forcepr_cycles=1500 core.ratio_cycles=500 "
		  "fault.check_cycles=2000",
	  .injects = "prochot:rate=1,count=5",
	  .workload = "random:threads=10,size=64K,count=8000,gap=40" },
	{ .name = "turbo",
	  .sockets = 1,
	  .sets = "core.turbo=2800 core.turbo_cores=10 core.ratio_cycles=500",
	  .workload = "random:threads=10,size=64K,count=4000" },
	/* All cores run from the first cycle to the last one: at the turbo
	 * clock once that is reached, or hotter than they should be even at the
	 * slowest one. */
	{ .name = "fast",
	  .sockets = 1,
	  .sets = "core.turbo=2800 core.turbo_cores=10 core.ratio_cycles=500",
	  .workload = "random:threads=10,size=64K,count=100000",
	  .cycles = 20000 },
	{ .name = "boiling",
	  .sockets = 1,
	  .sets = "heat.tau_cycles=30000 heat.rise=1000 heat.tm1_cycles=2000 "
		  "core.ratio_cycles=500",
	  .workload = "random:threads=10,size=64K,count=100000",
	  .cycles = 20000 },
	{ .name = "unsteady",
	  .sockets = 1,
	  /* every core is done before it has its new ratio */
	  .sets = "core.turbo=2800 core.turbo_cores=10 "
		  "core.ratio_cycles=100000000",
	  .workload = "random:threads=10,size=64K,count=1000" },
	{ .name = NULL },
};

/* Threads */

#define THREADS "threads="

enum { WRITTEN_FOR = 10 }; /* cores of a socket */

/* The next number of threads in a workload, or NULL. */
static const char *next_threads(const char *text)
{
	text = strstr(text, THREADS);
	return text ? text + strlen(THREADS) : NULL;
}

unsigned coverage_cores(const struct uncore_family *family)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		if (!strcmp(box.name, "cbox"))
			return box.num_instances;
	return WRITTEN_FOR;
}

static bool has_room(const struct coverage_scene *scene, unsigned cores)
{
	const char *text = scene->workload;
	unsigned long sum = 0;

	while ((text = next_threads(text)))
		sum += strtoul(text, NULL, 10);
	return sum <= (unsigned long)cores * scene->sockets;
}

/* So many threads where there is no room for those that were written. */
static unsigned long fewer(unsigned long threads, unsigned cores)
{
	unsigned long some =
		(threads * cores * 2 + WRITTEN_FOR) / (2 * WRITTEN_FOR);

	return some ? some : 1;
}

char *coverage_workload(const struct coverage_scene *scene,
			const struct uncore_family *family)
{
	const char *text = scene->workload, *number;
	unsigned cores = coverage_cores(family);
	char *workload = NULL, *end;
	size_t size;
	FILE *file;

	if (has_room(scene, cores))
		return strdup(text);
	file = open_memstream(&workload, &size);
	if (!file)
		return NULL;
	while ((number = next_threads(text))) {
		fprintf(file, "%.*s%lu", (int)(number - text), text,
			fewer(strtoul(number, &end, 10), cores));
		text = end;
	}
	fputs(text, file);
	return fclose(file) ? NULL : workload;
}

double coverage_number(const struct coverage_scene *scene,
		       const struct uncore_family *family)
{
	const char *number = next_threads(scene->workload);
	unsigned cores = coverage_cores(family);
	unsigned long threads;

	if (!number || has_room(scene, cores))
		return (double)scene->n;
	threads = strtoul(number, NULL, 10);
	return (double)(scene->n * fewer(threads, cores)) / (double)threads;
}
