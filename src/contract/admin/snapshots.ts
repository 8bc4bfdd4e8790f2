/** Snapshots: restorable copies of all data, stored in the data directory. */
import { SNAPSHOT_NAME_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';

export const snapshotName = () =>
  t.string({
    min: 1,
    max: SNAPSHOT_NAME_MAX_CHARS,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    hint: 'letters, digits, dots, hyphens and underscores, starting with a letter or digit',
  });

const count = () => t.int({ min: 0 });
const params = t.object({ name: t.annotate(snapshotName(), { description: 'Name of the snapshot.' }) });
const EXAMPLE = { params: { name: 'before-migration' } };

export const snapshot = t.object({
  name: t.string(),
  savedAt: t.nullable(t.timestamp()),
  bytes: count(),
  rows: t.nullable(count()),
  tenants: t.annotate(t.nullable(t.array(t.string())), { description: 'Slugs of the tenants in the snapshot.' }),
  version: t.annotate(t.nullable(t.string()), { description: 'Release that saved the snapshot.' }),
  problem: t.annotate(t.nullable(t.string()), { description: 'Why the snapshot cannot be restored; found without reading all of it.' }),
});
export type Snapshot = Infer<typeof snapshot>;

export const listSnapshots = defineAdminOperation('snapshot.list', 'GET', '/admin/snapshots', {
  summary: 'List snapshots, newest first',
  result: t.object({ data: t.array(snapshot) }),
});

export const saveSnapshot = defineAdminOperation('snapshot.save', 'POST', '/admin/snapshots', {
  summary: 'Save a snapshot of all data',
  description: 'Requests are served meanwhile.',
  body: t.object({
    name: snapshotName(),
    replace: t.withDefault(t.annotate(t.bool(), { description: 'Overwrite an existing snapshot with this name.' }), false),
  }),
  result: single(snapshot),
  errors: ['DUPLICATE_VALUE'],
  example: { body: EXAMPLE.params },
});

export const loadSnapshot = defineAdminOperation('snapshot.load', 'POST', '/admin/snapshots/{name}/load', {
  summary: 'Restore a snapshot, replacing all data',
  description: 'The snapshot is verified first.',
  params,
  body: t.object({}),
  result: single(snapshot),
  errors: ['SNAPSHOT_UNUSABLE', 'INVALID_STATE'],
  example: EXAMPLE,
});

export const deleteSnapshot = defineAdminOperation('snapshot.delete', 'DELETE', '/admin/snapshots/{name}', {
  summary: 'Delete a snapshot',
  params,
  result: single(snapshot),
  example: EXAMPLE,
});

export const firstKey = t.object({ tenant: t.string(), prefix: t.string(), secret: t.string() });
/** Shown only in this response: the client must save it. Never logged. */
export type FirstKey = Infer<typeof firstKey>;

export const resetData = defineAdminOperation('data.reset', 'POST', '/admin/reset', {
  summary: 'Reset all data, or restore a snapshot',
  body: t.object({
    to: t.optional(t.annotate(snapshotName(), { description: 'Snapshot to restore. Default: an empty tenant with a new key.' })),
  }),
  result: t.object({ data: t.object({ snapshot: t.nullable(snapshot) }), firstKey: t.nullable(firstKey) }),
  shownOnce: ['firstKey'],
  errors: ['SNAPSHOT_UNUSABLE', 'INVALID_STATE', 'NOT_FOUND'],
  example: { body: { to: 'before-migration' } },
});

export const snapshotOperations = [listSnapshots, saveSnapshot, loadSnapshot, deleteSnapshot, resetData] as const;
