/** What replays of the service would resend: all failed deliveries that a filter can name, not only those that were read. */
import { parseRowQuery, toMilliseconds } from '../../client/row-query/row-query.ts';
import { splitTerms } from '../../client/row-query/terms.ts';
import { SUBSCRIBABLE_EVENTS } from '../../contract/events.ts';
import { DELIVERY_LOG_DAYS } from '../../contract/limits.ts';
import type { EndpointRow, ReplayRequest } from '../state/model.ts';

/** The fields of queries that a replay has too. Words, and how a delivery failed, it cannot name. */
const KNOWN = new Set(['endpoint', 'event', 'since', 'status']);
const DAY_MS = 86_400_000;

interface Named {
  readonly endpoint: EndpointRow;
  readonly event: string;
}

/** For each endpoint that matches; null if the query says more than replays can. */
export function toReplays(query: string, endpoints: readonly EndpointRow[], serviceNow: number): readonly ReplayRequest[] | null {
  const terms = splitTerms(query);
  if (terms.some(({ kind, name, isInverse }) => kind !== 'field' || !KNOWN.has(name) || (name === 'since' && isInverse))) return null;
  const filter = parseRowQuery<Named>(query, {
    fields: {
      endpoint: { kind: 'text', get: ({ endpoint }) => [endpoint.name, endpoint.id] },
      event: { kind: 'text', get: ({ event }) => event },
      status: { kind: 'text', get: () => 'failed' },
      since: { kind: 'since', get: () => serviceNow },
    },
    getText: () => '',
    now: () => serviceNow,
  });
  if (filter.problem !== null) return null;
  const ages = terms.flatMap(({ name, value }) => (name === 'since' ? [toMilliseconds(value, name)] : []));
  const since = new Date(serviceNow - Math.min(DELIVERY_LOG_DAYS * DAY_MS, ...ages)).toISOString();
  return endpoints.flatMap((endpoint): readonly ReplayRequest[] => {
    // The service sends nothing to it.
    if (endpoint.status === 'disabled') return [];
    const types = SUBSCRIBABLE_EVENTS.filter((event) => filter.matches({ endpoint, event }));
    if (types.length === 0) return [];
    return [{ webhookId: endpoint.id, since, ...(types.length === SUBSCRIBABLE_EVENTS.length ? {} : { types }) }];
  });
}
