/** Admin handler of the audit trail: finds records by what people call them, and names those that the rows refer to. */
import type { auditTrailOperations } from '../../contract/admin/audit.ts';
import { isUuid } from '../../contract/schema/formats.ts';
import type { AuditCursor } from '../../domain/events/audit.ts';
import type { AuditRecord } from '../../domain/events/records.ts';
import { notFound } from '../../domain/kernel/errors.ts';
import { getDistinctIds } from '../../domain/kernel/rows.ts';
import type { Condition, Row } from '../../domain/kernel/ports.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { parseAuditCursor } from '../audit.ts';
import type { RowOf, TableName } from '../lists/list-page.ts';
import { joinConditions, whereBefore, whereSince } from '../lists/pagination.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

/** The audit trail has no index by record, actor or request: rows are read in batches until enough match. */
const BATCH_ROWS = 1_000;
const NAMESAKES_MAX = 50;

export const auditTrailHandlers: AdminHandlers<typeof auditTrailOperations> = {
  async 'audit.trail'(call) {
    const { record, actor, api_key_id: keyId, action_prefix, request_id: requestId, since, until, limit } = call.query;
    const cursor = parseAuditCursor(call.query);
    return readTenant(call, async (tx) => {
      const existing = record === undefined ? [] : await findRecordIds(tx, record);
      const deleted = record === undefined || existing.length > 0 ? new Map<string, string>() : await findDeleted(tx, record);
      const ids = record === undefined ? undefined : new Set([...existing, ...deleted.keys()]);
      const where = joinConditions(
        whereSince('createdAt', since),
        whereBefore('createdAt', until),
        action_prefix === undefined ? undefined : { field: 'action', prefix: action_prefix },
      );
      const found: NamedRow[] = [];
      let hasMore = false;
      const areAllWanted = [ids, actor, keyId, requestId].every((filter) => filter === undefined);
      for await (const { rows: batch, more } of readNewestFirst(tx, where, areAllWanted ? limit : BATCH_ROWS, cursor)) {
        const rows = batch.filter(
          (row) =>
            (ids === undefined || ids.has(row.resourceId) || isNamed(row, record ?? '')) &&
            (keyId === undefined || (row.actorType === 'api' && row.actorId === keyId)) &&
            (requestId === undefined || row.metadata['requestId'] === requestId),
        );
        const named = await addNames(tx, rows, deleted);
        found.push(...(actor === undefined ? named : named.filter((row) => isActor(row, actor))));
        hasMore = more || found.length > limit;
        if (found.length >= limit) break;
      }
      if (found.length === 0 && ids?.size === 0 && cursor === undefined) throw notFound('record', record ?? '');
      const data = found.slice(0, limit);
      const last = data.at(-1) ?? cursor;
      return { data, pagination: { hasMore, nextCursor: last ? { createdAt: last.createdAt, id: last.id } : null } };
    });
  },
};

type Batch = Awaited<ReturnType<ReadTx['auditEvents']['listAfter']>>;

async function* readNewestFirst(
  tx: ReadTx,
  where: readonly Condition[],
  limit: number,
  cursor: AuditCursor | undefined,
): AsyncGenerator<Batch> {
  let last: Pick<AuditRecord, 'createdAt' | 'id'> | undefined = cursor;
  for (let more = true; more;) {
    const after = last && { values: [last.createdAt], id: last.id };
    const page = await tx.auditEvents.listAfter({
      orderBy: 'created_at',
      descending: true,
      where,
      limit,
      ...(after && { after }),
    });
    yield page;
    more = page.more;
    last = page.rows.at(-1);
  }
}

/** Records with this number, SKU, code, symbol, e-mail or name, ignoring case. */
async function findRecordIds(tx: ReadTx, text: string): Promise<readonly string[]> {
  if (isUuid(text)) return [text];
  const unique = await Promise.all([
    tx.items.findUnique('sku', text),
    tx.orders.findUnique('orderNumber', text),
    tx.stockDocuments.findUnique('number', text),
    tx.sites.findUnique('code', text),
    tx.units.findUnique('symbol', text),
    tx.users.findUnique('email', text),
  ]);
  const query = { where: [{ field: 'name', from: text, to: text }], orderBy: 'name', limit: NAMESAKES_MAX } as const;
  const named = await Promise.all(
    [tx.items, tx.contacts, tx.categories, tx.sites, tx.units, tx.users].map(async (table) => (await table.listIdsAfter(query)).ids),
  );
  return [...unique.flatMap((row) => (row ? [row.id] : [])), ...named.flat()];
}

/** Deleted records with this name → what the row of their deletion calls them. */
async function findDeleted(tx: ReadTx, text: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { rows } of readNewestFirst(tx, [], BATCH_ROWS, undefined))
    for (const row of rows)
      if (row.action.endsWith('.deleted') && isNamed(row, text)) found.set(row.resourceId, getDeletedName(row) ?? text);
  return found;
}

/** A deletion names what was deleted. */
const isNamed = ({ metadata }: AuditRecord, text: string): boolean =>
  Object.values(metadata).some((value) => typeof value === 'string' && value.toLowerCase() === text.toLowerCase());

type NamedRow = AuditRecord & { readonly actorName: string | null; readonly recordName: string | null };

const isActor = ({ actorType, actorId, actorName }: NamedRow, text: string): boolean =>
  [actorType, actorId, actorName ?? ''].some((value) => value.toLowerCase().includes(text.toLowerCase()));

type ReadNames = (tx: ReadTx, ids: readonly string[]) => Promise<readonly (readonly [id: string, name: string])[]>;

const namesIn =
  <T extends TableName>(table: T, toName: (row: RowOf<T>) => string): ReadNames =>
  async (tx, ids) => {
    const rows: readonly (Row | undefined)[] = await tx[table].getMany(ids);
    // The compiler cannot match the name of a table with its row type.
    return rows.flatMap((row) => (row ? [[row.id, toName(row as RowOf<T>)] as const] : []));
  };

/** By type of the resource. */
const NAMES: Readonly<Record<string, ReadNames>> = {
  item: namesIn('items', ({ sku, name }) => sku ?? name),
  order: namesIn('orders', ({ orderNumber }) => orderNumber),
  stock_document: namesIn('stockDocuments', ({ documentNumber }) => documentNumber),
  contact: namesIn('contacts', ({ name }) => name),
  category: namesIn('categories', ({ name }) => name),
  unit: namesIn('units', ({ symbol }) => symbol),
  site: namesIn('sites', ({ name }) => name),
  webhook: namesIn('webhooks', ({ name }) => name),
  user: namesIn('users', ({ email }) => email),
  api_key: namesIn('apiKeys', ({ name, prefix }) => `${name} (${prefix})`),
  organization: namesIn('tenants', ({ slug }) => slug),
};

/** What identifies a deleted record in the audit row of its deletion, the best first. */
const DELETED_NAMES = ['sku', 'documentNumber', 'orderNumber', 'symbol', 'email', 'name', 'prefix', 'event'];

const getDeletedName = ({ metadata }: AuditRecord): string | undefined =>
  DELETED_NAMES.map((field) => metadata[field]).find((value) => typeof value === 'string');

/** `deleted`: names of records that no longer exist. */
async function addNames(tx: ReadTx, rows: readonly AuditRecord[], deleted: ReadonlyMap<string, string>): Promise<NamedRow[]> {
  const wanted = rows.flatMap(({ resourceType, resourceId, actorType, actorId }) => [
    { type: resourceType, id: resourceId },
    ...(actorType === 'system' || !isUuid(actorId) ? [] : [{ type: actorType === 'api' ? 'api_key' : 'user', id: actorId }]),
  ]);
  const names = new Map(deleted);
  for (const [type, group] of Map.groupBy(wanted, (reference) => reference.type))
    for (const [id, name] of (await NAMES[type]?.(tx, getDistinctIds(group.map((reference) => reference.id)))) ?? []) names.set(id, name);
  return rows.map((row) => ({
    ...row,
    actorName: names.get(row.actorId) ?? (isUuid(row.actorId) ? null : row.actorId),
    recordName: names.get(row.resourceId) ?? getDeletedName(row) ?? null,
  }));
}
