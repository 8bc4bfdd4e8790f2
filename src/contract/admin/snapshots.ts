/** Snapshots: copies of everything that the daemon holds, to come back to. They lie in the data directory. */
import { SNAPSHOT_NAME_MAX_CHARS } from '../limits.ts';
import { one, operation } from '../operation.ts';
import { type Infer, t } from '../schema.ts';

export const snapshotName = () =>
  t.string({
    min: 1,
    max: SNAPSHOT_NAME_MAX_CHARS,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    hint: 'letters, digits, dots, hyphens and underscores, beginning with a letter or digit',
  });

const count = () => t.int({ min: 0 });
const params = t.object({ name: t.about(snapshotName(), { description: 'Name of the snapshot.' }) });
const EXAMPLE = { params: { name: 'before-migration' } };

export const snapshot = t.object({
  name: t.string(),
  savedAt: t.nullable(t.timestamp()),
  bytes: count(),
  rows: t.nullable(count()),
  tenants: t.about(t.nullable(t.array(t.string())), { description: 'Slugs of the tenants in it.' }),
  version: t.about(t.nullable(t.string()), { description: 'The release that made it.' }),
  problem: t.about(t.nullable(t.string()), { description: 'Why it cannot be loaded, as far as can be told without reading all of it.' }),
});
export type Snapshot = Infer<typeof snapshot>;

export const listSnapshots = operation({
  id: 'snapshot.list',
  method: 'GET',
  path: '/admin/snapshots',
  scope: null,
  summary: 'List the snapshots, the newest first',
  status: 200,
  result: t.object({ data: t.array(snapshot) }),
});

export const saveSnapshot = operation({
  id: 'snapshot.save',
  method: 'POST',
  path: '/admin/snapshots',
  scope: null,
  summary: 'Save everything as it is now; other work goes on meanwhile',
  body: t.object({
    name: snapshotName(),
    replace: t.withDefault(t.about(t.bool(), { description: 'Take the place of a snapshot of that name.' }), false),
  }),
  status: 200,
  result: one(snapshot),
  errors: ['DUPLICATE_VALUE'],
  example: { body: EXAMPLE.params },
});

export const loadSnapshot = operation({
  id: 'snapshot.load',
  method: 'POST',
  path: '/admin/snapshots/{name}/load',
  scope: null,
  summary: 'Let a snapshot take the place of everything; it is checked first',
  params,
  body: t.object({}),
  status: 200,
  result: one(snapshot),
  errors: ['SNAPSHOT_UNUSABLE', 'INVALID_STATE'],
  example: EXAMPLE,
});

export const deleteSnapshot = operation({
  id: 'snapshot.delete',
  method: 'DELETE',
  path: '/admin/snapshots/{name}',
  scope: null,
  summary: 'Delete a snapshot',
  params,
  status: 200,
  result: one(snapshot),
  example: EXAMPLE,
});

export const firstKey = t.object({ tenant: t.string(), prefix: t.string(), secret: t.string() });
/** Shown this once: whoever asked for it saves it. Never logged. */
export type FirstKey = Infer<typeof firstKey>;

export const resetData = operation({
  id: 'data.reset',
  method: 'POST',
  path: '/admin/reset',
  scope: null,
  summary: 'Begin anew as at the first start, or from a snapshot',
  body: t.object({
    to: t.optional(t.about(snapshotName(), { description: 'The snapshot to begin from. Default: nothing but a tenant.' })),
  }),
  status: 200,
  result: t.object({ data: t.object({ snapshot: t.nullable(snapshot) }), firstKey: t.nullable(firstKey) }),
  shownOnce: ['firstKey'],
  errors: ['SNAPSHOT_UNUSABLE', 'INVALID_STATE', 'NOT_FOUND'],
  example: { body: { to: 'before-migration' } },
});

export const snapshotOperations = [listSnapshots, saveSnapshot, loadSnapshot, deleteSnapshot, resetData] as const;
