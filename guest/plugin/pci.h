/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The buses with the PCI functions of the modelled uncores, beside those that
 * QEMU has itself.
 */
#ifndef UNCORE_GUEST_PCI_H
#define UNCORE_GUEST_PCI_H

#include <stdbool.h>

struct channel;

/* While QEMU makes its CPUs: puts the buses of the channel, if any, before its
 * own. False, with a message, when this QEMU lacks something. */
bool pci_attach(const struct channel *channel);

#endif
