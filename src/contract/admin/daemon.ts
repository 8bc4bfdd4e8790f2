/** The running daemon: what it is doing, whether its data is sound, and its end. */
import { one, operation } from '../operation.ts';
import { t } from '../schema.ts';
import { tenantQuery } from './common.ts';
import { fault } from './faults.ts';

const count = () => t.int({ min: 0 });

export const status = t.object({
  status: t.enums(['running']),
  url: t.nullable(t.string()),
  pid: count(),
  dataDir: t.nullable(t.string()),
  version: t.string(),
  instanceId: t.uuid(),
  startedAt: t.timestamp(),
  uptimeSeconds: count(),
  testClock: t.bool(),
  memoryBytes: count(),
  journalBytes: t.about(t.nullable(count()), { description: 'What a start would have to read again; null when the store has no journal.' }),
  tenants: count(),
  rows: t.about(t.map(count()), { description: 'Rows of all tenants, by table.' }),
  faults: t.about(t.array(fault), { description: 'What goes wrong on purpose now.' }),
});

export const getStatus = operation({
  id: 'daemon.status',
  method: 'GET',
  path: '/admin/status',
  scope: null,
  summary: 'Read what the daemon is and holds',
  status: 200,
  result: one(status),
});

export const getDoctor = operation({
  id: 'doctor.run',
  method: 'GET',
  path: '/admin/doctor',
  scope: null,
  summary: 'Derive again what can be derived, and compare; of every tenant unless one is named',
  query: tenantQuery,
  status: 200,
  result: one(t.object({ ok: t.bool(), checks: t.array(t.object({ name: t.string(), ok: t.bool(), detail: t.string() })) })),
});

export const shutDown = operation({
  id: 'daemon.stop',
  method: 'POST',
  path: '/admin/shutdown',
  scope: null,
  summary: 'Stop the daemon: requests under way finish, the store is closed',
  body: t.object({}),
  status: 200,
  result: one(t.object({ status: t.enums(['stopping']), pid: count() })),
  errors: ['NOT_ENABLED'],
});

export const daemonOperations = [getStatus, getDoctor, shutDown] as const;
