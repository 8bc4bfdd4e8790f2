/** What lists show of deliveries: times to the second, endpoints by name, and the end of the id, which commands accept instead of the id. */
import { SUBSCRIBABLE_EVENTS } from '../../contract/events.ts';
import { type OwnedDelivery, tailDeliveries } from '../../contract/admin/webhooks.ts';
import { DELIVERY_STATUSES, type Delivery, type Webhook } from '../../contract/resources/webhooks.ts';
import { Failure, usageError } from '../errors/failure.ts';
import { DELIVERY_LIST_HINT, SHORT_ID_MIN_CHARS } from '../errors/hints.ts';
import { isId } from '../output/fields.ts';
import type { AdminContext } from '../session/admin-session.ts';
import { formatLogTime } from '../views/local-time.ts';

/** Enough to distinguish the deliveries of a service; ids created at the same time begin alike. */
const SHORT_ID_CHARS = 8;
const SHORT_ID = new RegExp(`^[\\da-f-]{${String(SHORT_ID_MIN_CHARS)},35}$`, 'iu');
/** Describes the argument. */
export const DELIVERY_ID = `Id of the delivery, or at least its last ${String(SHORT_ID_MIN_CHARS)} characters, as lists show them`;
const SEARCHED_MAX = 10_000;

const toDelivery = (row: unknown): Delivery => row as Delivery;

export const DELIVERY_DERIVED = {
  time: (row: unknown) => formatLogTime(toDelivery(row).updatedAt),
  result: (row: unknown) => {
    const { lastHttpStatus, lastError } = toDelivery(row);
    return lastHttpStatus === null ? lastError : String(lastHttpStatus);
  },
  delivery: (row: unknown) => toDelivery(row).id.slice(-SHORT_ID_CHARS),
};

export const DELIVERY_COLUMNS = ['time', 'eventType', 'status', 'result', 'delivery', 'attempts'] as const;
export const DELIVERY_NEVER_TRUNCATED = ['time', 'status', 'delivery'] as const;

/** The widest values of rows that may follow. */
export const DELIVERY_SAMPLES = [
  ...SUBSCRIBABLE_EVENTS.map((eventType) => ({ eventType })),
  ...DELIVERY_STATUSES.map((status) => ({ status })),
  { result: 'connection_refused' },
];

/** The id of a delivery that was typed as a whole or by its last characters. */
export async function resolveDeliveryId(context: AdminContext, typed: string): Promise<string> {
  if (isId(typed)) return typed;
  // The request explains that it needs an id.
  if (typed === '') return typed;
  if (!SHORT_ID.test(typed)) throw new Failure('NOT_FOUND', `No delivery with id "${typed}"`, { hint: DELIVERY_LIST_HINT });
  const client = await context.session.connect();
  const tenant = await context.session.getTenant(tailDeliveries, context.flags);
  const { data } = (await client.perform(tailDeliveries, { query: { tenant, limit: SEARCHED_MAX } })).body;
  const [found, ...others] = data.filter(({ id }) => id.endsWith(typed.toLowerCase())) as readonly OwnedDelivery[];
  if (found && others.length > 0)
    throw usageError(`${String(others.length + 1)} deliveries have an id that ends in ${typed}`, 'Pass more of its end, or the whole id');
  if (found) return found.id;
  throw new Failure('NOT_FOUND', `No delivery has an id that ends in ${typed}`, { hint: DELIVERY_LIST_HINT });
}

/** Returns the names of endpoints, which are read again for one that is new; null for one that was deleted. */
export function createNameLookup(list: () => Promise<readonly Pick<Webhook, 'id' | 'name'>[]>): (id: string) => Promise<string | null> {
  const names = new Map<string, string | null>();
  return async (id) => {
    if (!names.has(id)) {
      names.set(id, null);
      for (const endpoint of await list()) names.set(endpoint.id, endpoint.name);
    }
    return names.get(id) ?? null;
  };
}
