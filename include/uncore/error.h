/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Everything that can go wrong, once: functions return 0 or the negative value
 * of one of these. A function that takes `char **error` also stores a sentence
 * about the case at hand there, to be freed by the caller with free(); error
 * may be NULL where nobody wants to read it.
 */
#ifndef UNCORE_ERROR_H
#define UNCORE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(number, name, message) */
#define UNCORE_ERRORS(X)                                                       \
	X(1, NO_MEMORY, "out of memory")                                       \
	X(2, IO, "input or output failed")                                     \
	X(3, UNKNOWN_FAMILY, "no such processor family or machine")            \
	X(4, UNKNOWN_BOX, "no such box")                                       \
	X(5, UNKNOWN_EVENT, "no such event")                                   \
	X(6, AMBIGUOUS, "the name stands for several things")                  \
	X(7, BAD_SYNTAX, "the text does not follow the syntax")                \
	X(8, BAD_UMASK, "the unit mask does not exist or does not fit")        \
	X(9, BAD_OPTION, "the option does not exist or does not fit")          \
	X(10, VALUE_TOO_WIDE, "the value does not fit into its field")         \
	X(11, BAD_COUNTER, "the counter cannot count this event")              \
	X(12, BAD_PORT, "the port is missing or does not exist")               \
	X(13, CONFLICT, "the events cannot be counted at the same time")       \
	X(14, NO_COUNTER, "no counter is free")                                \
	X(15, GP, "general protection fault")                                  \
	X(16, SOCKET, "no such socket")                                        \
	X(17, NOT_MODELLED, "the model has no mechanism for this event")       \
	X(18, NO_REGISTER, "no such register")                                 \
	X(19, NO_PERMISSION, "permission denied")                              \
	X(20, NO_HARDWARE, "this machine has no such processor")               \
	X(21, BAD_PARAMETER, "the parameter does not exist or does not fit")   \
	X(22, BAD_WORKLOAD, "the workload does not exist or is malformed")     \
	X(23, BAD_PROGRAM, "the program cannot be run")                        \
	X(24, NO_HELPER, "Valgrind or QEMU, or what they load, is missing")    \
	X(25, DIED, "a helper process died")                                   \
	X(26, STATE, "the call does not fit the present state")                \
	X(27, IN_USE, "somebody else uses it")                                 \
	X(28, BAD_METRIC, "the metric does not exist or is malformed")         \
	X(29, BAD_RECORDING, "that is no recording, or not one of ours")

enum uncore_error {
#define UNCORE_ERROR_ENUM(number, name, message) UNCORE_ERR_##name = -(number),
	UNCORE_ERRORS(UNCORE_ERROR_ENUM)
#undef UNCORE_ERROR_ENUM
};

/* "UNKNOWN_EVENT" for UNCORE_ERR_UNKNOWN_EVENT; never NULL. */
const char *uncore_error_name(int error);

/* A short message for the kind of error; never NULL. */
const char *uncore_error_message(int error);

/* Which names look most like one that does not exist. */
struct uncore_closest;

/* A search for names near `wanted`; NULL without memory. The names that are
 * offered must stay until the end. */
struct uncore_closest *uncore_closest_new(const char *wanted);
void uncore_closest_offer(struct uncore_closest *closest, const char *name);

/* Ends the search: "; did you mean A, B or C?" or "", to be freed with free();
 * NULL without memory. */
char *uncore_closest_say(struct uncore_closest *closest);

#ifdef __cplusplus
}
#endif

#endif
