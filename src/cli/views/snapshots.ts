/** Columns of the list of snapshots. */
export const SNAPSHOT_COLUMNS = ['name', 'savedAt', 'bytes', 'rows', 'tenants', 'version', 'problem'] as const;
