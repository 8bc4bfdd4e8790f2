/** Snapshots as a person reads them. */
export const SNAPSHOT_COLUMNS = ['name', 'savedAt', 'bytes', 'rows', 'tenants', 'version', 'problem'] as const;
