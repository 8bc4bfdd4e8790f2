/** Handler of GET /v1/events. */
import { getChangedResource, getEventScope } from '../contract/change-events.ts';
import type { ChangeEventEntry, eventOperations } from '../contract/resources/events.ts';
import { readEventFeed } from '../domain/events/event-feed.ts';
import type { EventRecord } from '../domain/events/records.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import type { ApiKeyRecord } from '../domain/tenancy/records.ts';
import { type Handlers, ApiResponse } from './handler.ts';
import { toUtc } from './lists/pagination.ts';

export const eventHandlers: Handlers<typeof eventOperations> = {
  async 'events.list'({ tx, caller: { key }, query }) {
    for (const type of query.types ?? []) checkVisible(key, type);
    const { cursor, types, resource_id: resourceId, limit } = query;
    const since = query.since === undefined ? undefined : toUtc(query.since);
    const { rows, nextCursor, hasMore } = await readEventFeed(tx, { cursor, since, types, resourceId, scopes: key.scopes, limit });
    const body = { data: rows.map(presentEvent), pagination: { nextCursor, hasMore } };
    return rows.length > 0 || hasMore ? body : new ApiResponse(body, {}, { ...query, since: undefined, cursor: nextCursor });
  },
};

/** Otherwise a reader would wait forever for events that its key cannot see. */
function checkVisible({ scopes }: ApiKeyRecord, event: EventRecord['event']): void {
  const scope = getEventScope(event);
  if (!scopes.includes(scope))
    throw new StockroomError('SCOPE_REQUIRED', `This key lacks the scope ${scope} for the event ${event}.`, {
      details: { requiredScope: scope },
    });
}

function presentEvent({ id, event, position, resourceId, occurredAt, body }: EventRecord): ChangeEventEntry {
  const { data } = JSON.parse(body) as Pick<ChangeEventEntry, 'data'>;
  return { id, event, resourceType: getChangedResource(event), resourceId, sequence: position, occurredAt, data };
}
