#include "session/neighbour.h"
int neighbour_check(struct uncore_target *target, bool force, bool *is_shared,
		    char **error) { (void)target; (void)force; (void)error; *is_shared = false; return 0; }
