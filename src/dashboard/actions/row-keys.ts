/** Keys that act on the selected or open row. */
import {
  type AnyRow,
  type ConfirmedEffect,
  type DeliveryRow,
  type EndpointRow,
  type OrderRow,
  type State,
  type Tab,
  getOpenDetail,
  withUi,
} from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { formatCount } from '../tables/format.ts';
import { LOCAL_ONLY } from './effect-context.ts';
import { type KeyResult, type Viewport, withNotice } from './effects.ts';
import { askForStatus } from './status-keys.ts';
import { getRecordPath } from './record-paths.ts';

interface Chosen {
  readonly tab: Tab;
  readonly row: AnyRow | undefined;
}

/** Null for other keys. */
export function handleRowKey(state: State, key: KeyPress, { tab, row }: Chosen, viewport: Viewport): KeyResult | null {
  if (tab === 'overview') return key.name === 'T' ? askToTrigger(state, undefined, viewport) : null;
  switch (key.name) {
    case 'r':
      return row && tab === 'deliveries' ? resend(state, row as DeliveryRow) : withNotice(state, 'Select a delivery to resend', viewport);
    case 'c':
      return askForStatus(state, tab === 'orders' ? (row as OrderRow | undefined) : undefined, viewport);
    case 'T':
      if (tab === 'endpoints' && row) return { state, effect: { type: 'check', row } };
      return askToTrigger(state, row, viewport);
    case 'e':
      return row ? { state, effect: { type: 'page', tab, row } } : withNotice(state, 'No row to open', viewport);
    case 'y':
      return row ? { state: withUi(state, { overlay: { kind: 'copy', tab, row } }) } : withNotice(state, 'No row to copy', viewport);
    case 'o':
      return row ? { state, effect: { type: 'url', path: getRecordPath(tab, row) } } : withNotice(state, 'No row with a URL', viewport);
    case 'w': {
      const rows: readonly AnyRow[] = state.rows[tab];
      return rows.length === 0 ? withNotice(state, 'Nothing to save yet', viewport) : { state, effect: { type: 'save', tab, rows } };
    }
    default:
      return null;
  }
}

/** Asks first: the event is recorded and sent as if it had happened. */
function askToTrigger(state: State, row: AnyRow | undefined, viewport: Viewport): KeyResult {
  const { rows, about } = state;
  if (!about.isLocal) return withNotice(state, LOCAL_ONLY, viewport, 'bad');
  const event = chooseTestEvent(row, rows.endpoints);
  if (event === null) return withNotice(state, 'No endpoint subscribes to an event', viewport, 'bad');
  const endpoints = rows.endpoints.filter(
    ({ status, subscribedEvents }) => status !== 'disabled' && subscribedEvents.some((each) => each === event),
  );
  const question = `Send ${event} to ${formatCount(endpoints.length, 'endpoint')}, as if it had happened? y sends`;
  return confirm(state, question, { type: 'trigger', event }, 'Nothing was sent');
}

/** The event that a test sends: that of the selected row, else one that an endpoint subscribes to. */
export function chooseTestEvent(row: unknown, endpoints: readonly EndpointRow[]): string | null {
  const { eventType, subscribedEvents } = (row ?? {}) as { eventType?: string; subscribedEvents?: readonly string[] };
  const open = endpoints.filter(({ status }) => status !== 'disabled');
  return eventType ?? subscribedEvents?.[0] ?? open.flatMap((endpoint) => endpoint.subscribedEvents)[0] ?? null;
}

/** Asks first when the receiver already has the event. */
function resend(state: State, row: DeliveryRow): KeyResult {
  // The row of an open delivery is the one that was opened.
  const { status } = state.rows.deliveries.findLast(({ id }) => id === row.id) ?? row;
  if (status !== 'delivered') return { state, effect: { type: 'resend', row } };
  const question = 'Resend this delivery, which was already delivered? y to resend, any other key to cancel';
  return confirm(state, question, { type: 'resend', row }, 'Nothing was resent');
}

const confirm = (state: State, question: string, effect: ConfirmedEffect, refusal: string): KeyResult => ({
  state: withUi(state, { overlay: { kind: 'confirm', question, effect, refusal, before: getOpenDetail(state) } }),
});
