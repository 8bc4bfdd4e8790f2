/** What happened to a record, for people: its events with their deliveries, and its audit trail with what changed. */
import { toDisplayText } from '../../cli/output/fields.ts';
import type { AuditRow } from '../state/model.ts';
import type { RenderContext } from '../tables/table.ts';

interface History {
  readonly events?: readonly { readonly occurredAt: string; readonly event: string; readonly id: string }[];
  readonly audit?: readonly AuditRow[];
}

/** The tables that replace those of the record. The deliveries are those that the dashboard has read. */
export const describeHistory = ({ events, audit }: History, { getDeliveries, getActorName }: RenderContext) => ({
  ...(events && {
    events: events.map((row) => ({
      occurredAt: row.occurredAt,
      event: row.event,
      deliveries: getDeliveries(row)
        .map(({ endpoint, status }) => `${endpoint}: ${status}`)
        .join(', '),
    })),
  }),
  ...(audit && {
    audit: audit.map((row) => ({ createdAt: row.createdAt, action: row.action, changed: describeChanges(row), by: getActorName(row) })),
  }),
});

/** `status open → completed, notes`: values that are short, of other fields the name. */
function describeChanges({ metadata }: AuditRow): string {
  const changes = (metadata['changes'] ?? {}) as Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;
  return Object.entries(changes)
    .map(([name, { from, to }]) => (isShort(from) && isShort(to) ? `${name} ${toDisplayText(from)} → ${toDisplayText(to)}` : name))
    .join(', ');
}

const SHORT_CHARS = 20;
const isShort = (value: unknown): boolean => typeof value !== 'object' && toDisplayText(value).length <= SHORT_CHARS;
