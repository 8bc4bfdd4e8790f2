/** Finds a record of any kind by its name, for filters by the id of a record: `--resource-id SO-000012`. */
import type { RecordKind } from '../../contract/schema/record-kinds.ts';
import { Failure } from '../errors/failure.ts';
import { resolveParams } from '../input/resolve-names.ts';
import { t } from '../../contract/schema/builder.ts';
import type { ServiceSession } from '../session/session.ts';
import { findDeletedRecord } from './deleted-record.ts';

const KINDS: readonly RecordKind[] = ['order', 'stockDocument', 'item', 'contact', 'webhook'];
/** Also those of records that have no id of their own, such as stock levels. */
const HAS_ID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/iu;

/** Replaces the name of a record in `--resource-id` by its id. Throws a failure with exit 3 if there is no such record. */
export async function resolveResourceId<C extends { readonly flags: Readonly<Record<string, unknown>>; readonly session: ServiceSession }>(
  context: C,
): Promise<C> {
  const { flags, session } = context;
  const typed = flags['resource-id'];
  if (typeof typed !== 'string' || typed.trim() === '' || HAS_ID.test(typed)) return context;
  for (const kind of KINDS) {
    const id = await findRecord(session, kind, typed);
    if (id !== undefined) return { ...context, flags: { ...flags, 'resource-id': id } };
  }
  const deleted = await findDeletedRecord(session, typed);
  if (deleted !== undefined) return { ...context, flags: { ...flags, 'resource-id': deleted } };
  throw new Failure('NOT_FOUND', `No order, stock document, item, contact or endpoint "${typed}"`, {
    hint: 'Pass its number, SKU, name or id',
  });
}

async function findRecord(session: ServiceSession, kind: RecordKind, typed: string): Promise<string | undefined> {
  try {
    const spec = t.object({ id: t.id(kind) });
    return (await resolveParams(spec, { id: typed }, { connectTo: (list) => session.connectToList(list, undefined) }))['id'];
  } catch (error) {
    // The key may not read this kind, or there is none with this name.
    if (error instanceof Failure && (error.code === 'NOT_FOUND' || error.code === 'SCOPE_REQUIRED')) return undefined;
    throw error;
  }
}
