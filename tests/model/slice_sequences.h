/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Published slices of the Xeon Scalable's addresses (J. McCalpin, ACELab
 * TR-2021-03, doi 10.26153/tsw/14539; github.com/jdmccalpin/Intel_Address_Hash,
 * BaseSequence_SKX and PermSelectMasks_SKX): those of the lines from address 0
 * on, a digit each to the base 32, and the address bits whose parities are the
 * bits of the number that permutes the sequence. Of what is too long there are
 * the first or last digits, the FNV-1a of all, or only how many characters all
 * take as decimal numbers with a line's end each.
 * tests/tool/filter_lab.py reads the lines of digits and of masks, too.
 */
#ifndef SLICE_SEQUENCES_H
#define SLICE_SEQUENCES_H

#include <stdint.h>

static const struct published {
	unsigned num_slices, length, characters;
	uint64_t fnv; /* of the sequence, a byte a slice; 0: not known */
	uint64_t masks[14];
	const char *first, *last; /* digits */
} published[] = {
	{ 14,
	  16384,
	  37216,
	  UINT64_C(0x0000000000000000),
	  { 0x3880c00000, 0x263a700000, 0x1d14c00000, 0x041f500000,
	    0x1025400000, 0x2cd5100000, 0x1d90300000, 0x0000000000,
	    0x3a03500000, 0x0c7b100000, 0x0000000000, 0x1469b00000,
	    0x0000000000, 0x3c48300000 },
	  "0123456789abcd4b1032547698badc5a23016745ab89a1cd32107654ba98b0dc",
	  "1032547698badc740123456789abcd6532107654ba9812dc23016745ab8903cd" },
	{ 16,
	  16,
	  38,
	  UINT64_C(0x7c84dc9477851775),
	  { 0x1b5f575400, 0x2eb5faa800, 0x3cccc93000, 0x31aeeb1000 },
	  "0123456789abcdef",
	  "" },
	{ 18,
	  4096,
	  9968,
	  UINT64_C(0x679b138a2638c4c5),
	  { 0x04c8fc0000, 0x1d05380000, 0x262b8c0000, 0x041f500000,
	    0x2c6d780000, 0x2cd5140000, 0x21d80c0000, 0x3b3f480000,
	    0x3a03500000, 0x3033280000, 0x0000000000, 0x1469b40000 },
	  "0b297c5e1a386d4f1a386d4f0bah7che83a1f4d6929ge5gd92b0e5c7838hf4hc",
	  "" },
	{ 20,
	  256,
	  638,
	  UINT64_C(0x82c4fad4cc204995),
	  { 0x3ecbad4000, 0x035cf7c000, 0x387242c000, 0x0e2f28c000,
	    0x1c5e518000, 0x38bca30000, 0x0fb2eb4000, 0x1f65d68000 },
	  "0b297c5e1a386d4f1a386d4f0bih7chi83a1f4d692jge5gj92b0e5c783ihf4hi"
	  "a183d6f4b092c7e5b092c7e5ih83hif4290b5e7cjg1agj6d381a4f6dih0bhi7c"
	  "4f6d381a5e7c290b5e7c290bgj6djg1ac7e5b092hif4ih83d6f4a183gje5jg92"
	  "e5c792b0f4d683a1f4d683a1e5gj92jg6d4f1a387chi0bih7c5e0b296dgj1ajg",
	  "" },
	{ 22,
	  16384,
	  41432,
	  UINT64_C(0x0000000000000000),
	  { 0x3880c00000, 0x3433d00000, 0x0f1d600000, 0x041f500000,
	    0x1025400000, 0x2cd5100000, 0x1d90300000, 0x1209a00000,
	    0x3a03500000, 0x0c7b100000, 0x0000000000, 0x1469b00000,
	    0x0000000000, 0x3c48300000 },
	  "",
	  "hgjilkb0f4d692b00123456789abcdef32107654ba98fedcijgh0bkl6d4f0b29" },
	{ 24,
	  512,
	  1326,
	  UINT64_C(0xebdb7036fd23e5f5),
	  { 0x2b72c98000, 0x16e5930000, 0x2dcb260000, 0x1b964c0000,
	    0x1c5e518000, 0x38bca30000, 0x1a0b8f8000, 0x1f65d68000,
	    0x15b9648000 },
	  "03a97kdm56fc2h8j12b86lcn4nel3g9i03a9n4lel6nci1gb12b8m5kfk7mdj0ha"
	  "ed47haj0b812kfm5fc56gbi1i9g3len4ed479i3gbg1icn6lfc568j2hah0jdm7k"
	  "8j2hfc56dm7ka9039i3ged47cn6lbg1igbi1fc56len4i9g3haj0ed47kfm5j8h2"
	  "m5kf12b8j0ha47edn4le03a9i1gbl6nc6lcn12b83g9i4nel7kdm03a92h8j5mfk"
	  "1ibg65cf4nel309a0jah7kdm5mfk218bh2j8m5kfk7md309ag3i9n4lel6nc218b"
	  "ncl68b21i9g3de74mdk7haj0j8h2cf65fk5m8j2hah0jde74el4n9i3gbg1icf65"
	  "9a30el4ncf65bg1i8j2hfk5mde74ah0jhaj0mdk7cf65j8h2gbi1ncl6de74i9g3"
	  "74deg3i9218bl6ncm5kfh2j8309ak7md7kdm0jah218b5mfk6lcn1ibg309a4nel",
	  "" },
	{ 26,
	  16384,
	  42772,
	  UINT64_C(0x0000000000000000),
	  { 0x0e3f300000, 0x3433d00000, 0x39a2900000, 0x041f500000,
	    0x269ab00000, 0x1a6ae00000, 0x2b2fc00000, 0x24b6500000,
	    0x3a03500000, 0x0c7b100000, 0x36bff00000, 0x1469b00000,
	    0x0000000000, 0x3c48300000 },
	  "",
	  "hgjilknmpole12b80123456789abcdef32107654ba98fedcijghmnkl6lop03a9" },
	{ 28,
	  4096,
	  10798,
	  UINT64_C(0xad14f9d0881c70b5),
	  { 0x32770c0000, 0x3433d40000, 0x39a2900000, 0x3857680000,
	    0x1ad2880000, 0x1a6ae40000, 0x2b2fc40000, 0x24b6540000,
	    0x3a03500000, 0x0c7b100000, 0x0af7c80000, 0x28218c0000 },
	  "0123456789abcdefhgjilknmporq1gbiijghmnklqropi3g932107654ba98fedc",
	  "" },
};

#endif
