/** The change log: every change of the tenant in the order of the commits. D-23. */
import { CHANGE_EVENTS, CHANGED_RESOURCES } from '../change-events.ts';
import { CURSOR_MAX_CHARS, EVENTS_LIMIT_DEFAULT, EVENTS_LIMIT_MAX, EVENTS_WAIT_MAX_S, NAME_MAX_CHARS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';

export const changeEvent = t.component('ChangeEvent', {
  id: t.annotate(t.uuid(), { description: 'Also `data.eventId`.' }),
  event: t.enums(CHANGE_EVENTS),
  resourceType: t.enums(CHANGED_RESOURCES),
  resourceId: t.annotate(t.string(), {
    description: 'Id of the record that changed; of a stock level or reorder point the ids of item and site, joined by a colon.',
  }),
  sequence: t.annotate(t.int({ min: 1 }), { description: 'Grows by one with every event of the organization.', example: 1_284 }),
  occurredAt: t.timestamp(),
  data: t.annotate(t.map(t.json()), { description: 'As in the body of a webhook.' }),
});
export type ChangeEventEntry = Infer<typeof changeEvent>;

export const listEvents = defineOperation('events.list', 'GET', '/v1/events', {
  extension: true,
  longPoll: true,
  scope: null,
  summary: 'List the changes of all records, oldest first',
  description:
    'Every change, deletions included, in the order of the commits. Pass `nextCursor` to continue; it never skips a change. ' +
    'A key sees the events of the resources that it may read. Events are kept for a time and up to a number that `GET /v1/organization` names; ' +
    'a cursor before the oldest kept event is rejected with CURSOR_EXPIRED.',
  query: t.object({
    cursor: t.withDefault(
      t.annotate(t.string({ max: CURSOR_MAX_CHARS, pattern: '^[A-Za-z0-9_-]*$', hint: 'empty, `latest` or the `nextCursor` of a page' }), {
        description: 'The `nextCursor` of the previous page. Empty: from the oldest kept event. `latest`: only events from now on.',
      }),
      '',
    ),
    since: t.optional(t.annotate(t.timestamp(), { description: 'Without a cursor: from the first event at or after this time.' })),
    types: t.optional(
      t.annotate(t.csv(t.enums(CHANGE_EVENTS)), {
        description: 'Only these events, joined by commas. The key needs their scopes.',
        example: ['order.updated', 'stock_level.updated'],
      }),
    ),
    resource_id: t.optional(t.annotate(t.string({ min: 1, max: NAME_MAX_CHARS }), { description: 'Only events of this record.' })),
    limit: t.withDefault(t.annotate(t.int({ min: 1, max: EVENTS_LIMIT_MAX }), { description: 'Events per page.' }), EVENTS_LIMIT_DEFAULT),
    wait: t.withDefault(
      t.annotate(t.int({ min: 0, max: EVENTS_WAIT_MAX_S }), {
        description: 'Seconds to wait for an event if there is none after the cursor. The response comes with the first one.',
      }),
      0,
    ),
  }),
  result: t.object({
    data: t.array(changeEvent),
    pagination: t.object({
      nextCursor: t.annotate(t.string(), { description: 'Never null: the position after the last event that was read.' }),
      hasMore: t.bool(),
    }),
  }),
  errors: ['CURSOR_EXPIRED', 'SCOPE_REQUIRED'],
  example: { query: { types: 'order.updated,stock_level.updated', wait: '30' } },
});

export const eventOperations = [listEvents] as const;
