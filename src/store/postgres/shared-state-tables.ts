/** Tables of what several daemons share besides the data. */
export const SHARED_STATE_TABLES: readonly string[] = [];
