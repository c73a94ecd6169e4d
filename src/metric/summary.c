/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a performance engineer wants to see first, as rows: the events, chosen
 * so that they fit into the counters of every box at once, and the figures that
 * are made from them.
 *
 * Memory writes are counted as column writes to the DRAMs, because one M-Box
 * can watch only one B-Box command at a time and that is the read. A line is 64
 * bytes; a flit of QPI carries 8.
 */
#include "metric/metric.h"

static const struct metric_event xeon_e7_events[] = {
	{ "hits", "cbox/LLC_HITS.ALL/" },
	{ "misses", "cbox/LLC_MISSES.ALL/" },
	{ "irq_occupancy", "cbox/OCCUPANCY_IRQ/" },
	{ "irq", "cbox/TRANS_IRQ/" },
	{ "maf_occupancy", "cbox/OCCUPANCY_MAF/" },
	{ "maf", "cbox/TRANS_MAF/" },
	{ "tf_occupancy", "bbox/TF_ALL/" },
	{ "imt", "bbox/IMT_INSERTS_ALL/" },
	{ "reads", "mbox/FVC_EV0.BBOX_CMDS.READS/" },
	{ "writes_open", "mbox/DRAM_CMD.CAS_WR_OPN/" },
	{ "writes_close", "mbox/DRAM_MISC.CAS_WR_CLS/" },
	{ "page_hits", "mbox/PAGE_HIT/" },
	{ "page_misses", "mbox/PAGE_MISS/" },
	{ "page_empty", "mbox/PGT_PAGE_EV2.PAGE_EMPTY/" },
	{ "data0", "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi0/" },
	{ "data1", "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi1/" },
	{ "data2", "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi2/" },
	{ "data3", "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi3/" },
	{ "flits0", "rbox/FLITS_SENT,port=qpi0/" },
	{ "flits1", "rbox/FLITS_SENT,port=qpi1/" },
	{ "flits2", "rbox/FLITS_SENT,port=qpi2/" },
	{ "flits3", "rbox/FLITS_SENT,port=qpi3/" },
	{ "clock", "wbox/FIXED_CTR/" },
	{ 0 },
};

#define WRITES	 "(writes_open + writes_close)"
#define PAGES	 "(page_hits + page_misses + page_empty)"
#define QPI_DATA "(data0 + data1 + data2 + data3)"

static const struct uncore_metric xeon_e7_metrics[] = {
	{ "llc_lookups", "lookups", "hits + misses",
	  "Look-ups in the last-level cache" },
	{ "llc_hit_ratio", "%", "100 * hits / (hits + misses)",
	  "Look-ups that found a usable copy" },
	{ "llc_misses", "misses", "misses", "Look-ups that did not" },
	{ "memory_read", "bytes", "64 * reads",
	  "Read from memory, the patrol scrubber included" },
	{ "memory_write", "bytes", "64 * " WRITES, "Written to memory" },
	{ "memory_read_bandwidth", "GB/s", "64e-9 * reads / seconds",
	  "Read volume per simulated second" },
	{ "memory_write_bandwidth", "GB/s", "64e-9 * " WRITES " / seconds",
	  "Written volume per simulated second" },
	{ "page_hit", "%", "100 * page_hits / " PAGES,
	  "Memory accesses to the open page of a bank" },
	{ "page_empty", "%", "100 * page_empty / " PAGES,
	  "Memory accesses to a bank with no open page" },
	{ "page_miss", "%", "100 * page_misses / " PAGES,
	  "Memory accesses to a bank with another page open" },
	{ "qpi_data_received", "bytes", "64 * " QPI_DATA,
	  "Lines received over QPI" },
	{ "qpi_flits_sent", "flits", "flits0 + flits1 + flits2 + flits3",
	  "Flits sent over QPI" },
	{ "qpi_data_bandwidth", "GB/s", "64e-9 * " QPI_DATA " / seconds",
	  "Line volume received over QPI per simulated second" },
	{ "llc_request_queue_latency", "cycles", "irq_occupancy / irq",
	  "Mean time of a request in the queue before the LLC" },
	{ "llc_miss_latency", "cycles", "maf_occupancy / maf",
	  "Mean time of a transaction in the miss address file" },
	{ "home_agent_latency", "cycles", "tf_occupancy / imt",
	  "Mean time of a transaction in the home agent" },
	{ "cbox_spread", "ratio", "max(hits + misses) / mean(hits + misses)",
	  "Look-ups of the busiest C-Box against the mean of all" },
	{ "uncore_cycles", "cycles", "cycles", "Cycles of the uncore clock" },
	{ "simulated_time", "s", "seconds", "Time that passed" },
	{ 0 },
};

const struct metric_table metric_tables[] = {
	{ "xeon-e7", xeon_e7_events, xeon_e7_metrics },
	{ 0 },
};
