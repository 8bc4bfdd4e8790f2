/** All rows of a tenant: read as one state, put back, copied to another tenant, removed. */
import { isDeepStrictEqual } from 'node:util';
import { NEWEST_PURGED_EVENT } from '../../../domain/events/event-log.ts';
import { EVENT_POSITIONS } from '../../../domain/events/record-events.ts';
import type { Row, Table } from '../../../domain/kernel/ports.ts';
import type { TenantRecord } from '../../../domain/kernel/tenant.ts';
import { type ReadTx, type StockroomStore, type Tx, tables } from '../../../domain/tables.ts';
import type { ApiKeyRecord } from '../../../domain/tenancy/records.ts';
import { putTenant } from '../../../domain/tenancy/tenants.ts';

type TableName = keyof typeof tables;
const TENANT_TABLES = (Object.keys(tables) as TableName[]).filter((name) => tables[name].scope === 'tenant');
const ALL = { limit: Number.MAX_SAFE_INTEGER } as const;

/** What only says what has happened: no state has it. A reset clears it, so that a test sees what it did itself. */
const LOGS: ReadonlySet<TableName> = new Set(['events', 'deliveries', 'webhookHealth', 'idempotency']);
/** Counted in memory, and stored later. */
const NOT_IN_STATE: ReadonlySet<TableName> = new Set([...LOGS, 'usage']);
const NOT_IN_COPY: ReadonlySet<TableName> = new Set([...NOT_IN_STATE, 'auditEvents']);

export interface TenantState {
  readonly tenant: TenantRecord;
  readonly keys: readonly ApiKeyRecord[];
  readonly rows: ReadonlyMap<TableName, ReadonlyMap<string, Row>>;
}

/** The rows of different tables have different types; here they only have an id. */
const getTable = (tx: Tx, name: TableName): Table<Row> => tx[name];

/** Reads everything in one read, so that it is one state. */
export const readState = (
  store: StockroomStore,
  id: string,
  except: ReadonlySet<TableName> = NOT_IN_STATE,
): Promise<TenantState | undefined> =>
  store.read(id, async (tx) => {
    const tenant = await tx.tenants.get(id);
    return tenant && { tenant, keys: await listKeys(tx, id), rows: await readRows(tx, except) };
  });

const listKeys = async (tx: ReadTx, tenantId: string): Promise<ApiKeyRecord[]> =>
  (await tx.apiKeys.listAfter({ ...ALL, where: [{ field: 'tenantId', equals: tenantId }] })).rows;

async function readRows(tx: ReadTx, except: ReadonlySet<TableName>): Promise<Map<TableName, Map<string, Row>>> {
  const names = TENANT_TABLES.filter((name) => !except.has(name));
  const lists = await Promise.all(names.map(async (name) => (await tx[name].listAfter(ALL)).rows as readonly Row[]));
  return new Map(names.map((name, at) => [name, new Map(lists[at]!.map((row) => [row.id, row]))]));
}

/**
 * Puts a tenant back to a state, in one transaction: also its settings and the keys of the state. Later keys and endpoints stay, unless
 * `isExact`. Positions of events go on, so that a reader with a cursor misses no later event.
 */
export async function restoreState(store: StockroomStore, state: TenantState, { isExact = false } = {}): Promise<void> {
  await store.transact(state.tenant.id, async (tx) => {
    const current = await readRows(tx, NOT_IN_STATE);
    const writes: { readonly name: TableName; readonly rows: Row[] }[] = [];
    // A unique value may have moved to another row, so everything that differs is removed first.
    for (const [name, wanted] of state.rows) {
      const rows = [...wanted.values()].filter((row) => !isSame(current.get(name)?.get(row.id), row));
      const differing = new Set(rows.map(({ id }) => id));
      for (const id of current.get(name)?.keys() ?? []) {
        const isLater = !wanted.has(id) && (isExact || name !== 'webhooks');
        if ((isLater || differing.has(id)) && !isPosition(name, id)) await getTable(tx, name).remove(id);
      }
      writes.push({ name, rows: rows.filter(({ id }) => !isPosition(name, id)) });
    }
    for (const { name, rows } of writes) if (rows.length > 0) await getTable(tx, name).putMany(rows);
    for (const name of LOGS) await clear(getTable(tx, name));
    await expireCursors(tx);
    if (!isSame(await tx.tenants.get(state.tenant.id), state.tenant)) await tx.tenants.put(state.tenant);
    await restoreKeys(tx, state.keys);
    if (isExact) await removeOtherKeys(tx, state);
  });
}

async function clear(table: Table<Row>): Promise<void> {
  for (const id of (await table.listIdsAfter(ALL)).ids) await table.remove(id);
}

/** The events so far are gone: a reader that has not read all of them has to read everything again. */
async function expireCursors(tx: Tx): Promise<void> {
  const last = await tx.counters.get(EVENT_POSITIONS);
  if (last) await tx.counters.put({ id: NEWEST_PURGED_EVENT, value: last.value });
}

const isPosition = (name: TableName, id: string): boolean => name === 'counters' && (id === EVENT_POSITIONS || id === NEWEST_PURGED_EVENT);
/** Rows that were not written since are the same objects. */
const isSame = (a: Row | undefined, b: Row): boolean => a === b || isDeepStrictEqual(a, b);

async function restoreKeys(tx: Tx, keys: readonly ApiKeyRecord[]): Promise<void> {
  for (const key of keys) {
    const current = await tx.apiKeys.get(key.id);
    // When it was last used is no change.
    if (!isDeepStrictEqual(current && { ...current, lastUsedAt: key.lastUsedAt }, key)) await tx.apiKeys.put(key);
  }
}

async function removeOtherKeys(tx: Tx, { tenant, keys }: TenantState): Promise<void> {
  const kept = new Set(keys.map(({ id }) => id));
  for (const { id } of await listKeys(tx, tenant.id)) if (!kept.has(id)) await tx.apiKeys.remove(id);
}

/**
 * Creates a tenant with the rows of another one, whose endpoints get new ids: those of different tenants must differ. Returns its rows, which
 * are the same objects.
 */
export async function copyRows(tx: Tx, state: TenantState, tenant: TenantRecord, newId: () => string): Promise<TenantState['rows']> {
  await putTenant(tx, tenant);
  const webhooks = [...(state.rows.get('webhooks')?.values() ?? [])].map((row) => ({ ...row, id: newId() }));
  const copies = new Map<TableName, ReadonlyMap<string, Row>>([
    ...state.rows,
    ['webhooks', new Map(webhooks.map((row) => [row.id, row]))],
    ['auditEvents', new Map<string, Row>()],
  ]);
  for (const [name, rows] of copies) if (rows.size > 0) await getTable(tx, name).putMany([...rows.values()], state.tenant.id);
  await expireCursors(tx);
  return copies;
}

export const readCopyable = (store: StockroomStore, id: string): Promise<TenantState | undefined> => readState(store, id, NOT_IN_COPY);

/** Removes the copies of connections that ended with a daemon that was killed. Not with a database: they may be those of another daemon. */
export async function removeLeasedTenants(store: StockroomStore): Promise<void> {
  const { rows } = await store.read('', (tx) => tx.tenants.listAfter(ALL));
  for (const { id, isLeased } of rows) if (isLeased) await removeTenant(store, id);
}

/** Removes a tenant with everything that belongs to it. */
export async function removeTenant(store: StockroomStore, id: string): Promise<void> {
  await store.transact(id, async (tx) => {
    for (const name of TENANT_TABLES) await clear(getTable(tx, name));
    const ofTenant = { ...ALL, where: [{ field: 'tenantId', equals: id }] };
    for (const key of (await tx.apiKeys.listAfter(ofTenant)).rows) await tx.apiKeys.remove(key.id);
    for (const row of (await tx.installations.listAfter(ofTenant)).rows) await tx.installations.remove(row.id);
    await tx.tenants.remove(id);
  });
}
