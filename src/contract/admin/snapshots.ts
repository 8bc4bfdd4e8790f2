/** Snapshots: restorable copies of all data, stored in the data directory. */
import { SNAPSHOT_NAME_MAX_CHARS } from '../limits.ts';
import { single, defineOperation } from '../operation.ts';
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

export const listSnapshots = defineOperation({
  id: 'snapshot.list',
  method: 'GET',
  path: '/admin/snapshots',
  scope: null,
  summary: 'List snapshots, newest first',
  status: 200,
  result: t.object({ data: t.array(snapshot) }),
});

export const saveSnapshot = defineOperation({
  id: 'snapshot.save',
  method: 'POST',
  path: '/admin/snapshots',
  scope: null,
  summary: 'Save a snapshot of all data',
  description: 'Requests are served meanwhile.',
  body: t.object({
    name: snapshotName(),
    replace: t.withDefault(t.annotate(t.bool(), { description: 'Overwrite an existing snapshot with this name.' }), false),
  }),
  status: 200,
  result: single(snapshot),
  errors: ['DUPLICATE_VALUE'],
  example: { body: EXAMPLE.params },
});

export const loadSnapshot = defineOperation({
  id: 'snapshot.load',
  method: 'POST',
  path: '/admin/snapshots/{name}/load',
  scope: null,
  summary: 'Restore a snapshot, replacing all data',
  description: 'The snapshot is verified first.',
  params,
  body: t.object({}),
  status: 200,
  result: single(snapshot),
  errors: ['SNAPSHOT_UNUSABLE', 'INVALID_STATE'],
  example: EXAMPLE,
});

export const deleteSnapshot = defineOperation({
  id: 'snapshot.delete',
  method: 'DELETE',
  path: '/admin/snapshots/{name}',
  scope: null,
  summary: 'Delete a snapshot',
  params,
  status: 200,
  result: single(snapshot),
  example: EXAMPLE,
});

export const firstKey = t.object({ tenant: t.string(), prefix: t.string(), secret: t.string() });
/** Shown only in this response: the client must save it. Never logged. */
export type FirstKey = Infer<typeof firstKey>;

export const resetData = defineOperation({
  id: 'data.reset',
  method: 'POST',
  path: '/admin/reset',
  scope: null,
  summary: 'Reset all data, or restore a snapshot',
  body: t.object({
    to: t.optional(t.annotate(snapshotName(), { description: 'Snapshot to restore. Default: an empty tenant with a new key.' })),
  }),
  status: 200,
  result: t.object({ data: t.object({ snapshot: t.nullable(snapshot) }), firstKey: t.nullable(firstKey) }),
  shownOnce: ['firstKey'],
  errors: ['SNAPSHOT_UNUSABLE', 'INVALID_STATE', 'NOT_FOUND'],
  example: { body: { to: 'before-migration' } },
});

export const snapshotOperations = [listSnapshots, saveSnapshot, loadSnapshot, deleteSnapshot, resetData] as const;
