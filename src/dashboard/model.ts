/** What the dashboard knows and shows, as plain values. `reduce.ts` and `press.ts` are the only ones that make new ones. */
import type { EndpointHealth, OwnedDelivery } from '../contract/admin/webhooks.ts';
import type { AuditEvent } from '../contract/audit.ts';
import type { FeedRequest } from '../contract/admin/feed.ts';
import type { Plan } from '../contract/scopes.ts';
import { type Meter, emptyMeter } from './meter.ts';

export const TABS = ['deliveries', 'limits', 'endpoints', 'requests', 'audit'] as const;
export type Tab = (typeof TABS)[number];

/** Over the public API some columns are not told: they are null. */
export interface DeliveryRow extends Omit<OwnedDelivery, 'eventId' | 'nextAttemptAt'> {
  readonly eventId: string | null;
  readonly nextAttemptAt: string | null;
}
export interface RequestRow extends FeedRequest {
  readonly id: string;
}
export type AuditRow = AuditEvent;
export type EndpointRow = Omit<EndpointHealth, 'queued'> & { readonly queued: number | null };
export interface LimitRow {
  /** The key's. */
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly tier: string;
  readonly limit: number | null;
  /** Null until the key has been used. */
  readonly remaining: number | null;
  /** Epoch milliseconds by this machine's clock: the whole limit is there again. */
  readonly resetsAt: number | null;
  readonly meter: Meter;
  /** Answers of 429 since the dashboard was opened. */
  readonly refused: number;
}

export interface Rows {
  readonly deliveries: readonly DeliveryRow[];
  readonly limits: readonly LimitRow[];
  readonly endpoints: readonly EndpointRow[];
  readonly requests: readonly RequestRow[];
  readonly audit: readonly AuditRow[];
}
export type AnyRow = Rows[Tab][number];

export interface About {
  readonly url: string;
  /** The daemon of this machine, which tells everything as it happens; else a service that is asked from time to time. */
  readonly local: boolean;
  readonly version: string | null;
  readonly tenant: { readonly slug: string | null; readonly name: string | null; readonly plan: Plan | null };
  /** The public part of a production key that this dashboard would use. */
  readonly productionKey: string | null;
  /** What the daemon says about faults on purpose; null: none. */
  readonly faults: string | null;
  /** How often a remote service is asked, in words. */
  readonly pace: string | null;
  /** Milliseconds that the service's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
}

export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly tries: number;
  readonly reason: string | null;
}

export interface Capability {
  readonly capability: string;
  readonly count: number;
}

export interface Notice {
  readonly text: string;
  readonly tone: 'info' | 'good' | 'bad';
  /** Epoch milliseconds. */
  readonly until: number;
}

/** Where the reader stands in a list. Following: at the newest row, whatever it is. */
export interface Place {
  readonly selected: string | null;
  /** Position of the selected row when it was selected: where to stand when it has gone. */
  readonly index: number;
}

/** The text of a detail, as far as it has come. */
export type Loaded =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: unknown }
  | { readonly state: 'failed'; readonly reason: string };

export type Overlay =
  | { readonly kind: 'help'; readonly scroll: number }
  | { readonly kind: 'detail'; readonly tab: Tab; readonly row: AnyRow; readonly more: Loaded | null; readonly scroll: number }
  | { readonly kind: 'confirm-resend'; readonly ids: readonly string[] }
  | { readonly kind: 'copy'; readonly tab: Tab; readonly row: AnyRow };

export interface Ui {
  readonly tab: Tab;
  readonly places: Readonly<Record<Tab, Place>>;
  /** By tab, because what is looked for differs. */
  readonly filters: Readonly<Record<Tab, string>>;
  /** The last filter that was taken back, recalled by the next `/`. */
  readonly recalled: Readonly<Record<Tab, string>>;
  /** What is being typed; null: nothing is. */
  readonly draft: string | null;
  readonly failedOnly: boolean;
  /** What stood there when the reader paused. */
  readonly paused: { readonly rows: Rows; readonly held: Readonly<Record<Tab, number>> } | null;
  readonly overlay: Overlay | null;
  readonly notice: Notice | null;
}

export interface State {
  readonly about: About;
  readonly connection: Connection;
  readonly rows: Rows;
  readonly delivered: Meter;
  readonly capabilities: { readonly since: string; readonly rows: readonly Capability[] };
  /** Answers of 429 since the dashboard was opened, of all keys. */
  readonly refused: number;
  readonly startedAt: number;
  readonly ui: Ui;
}

const perTab = <T>(value: T): Readonly<Record<Tab, T>> => ({
  deliveries: value,
  limits: value,
  endpoints: value,
  requests: value,
  audit: value,
});

export const NO_ROWS: Rows = { deliveries: [], limits: [], endpoints: [], requests: [], audit: [] };
export const nobodyHeld = perTab(0);

export const initialState = (about: About, now: number): State => ({
  about,
  connection: { state: 'connecting', since: now, tries: 0, reason: null },
  rows: NO_ROWS,
  delivered: emptyMeter(now),
  capabilities: { since: 'since the dashboard was opened', rows: [] },
  refused: 0,
  startedAt: now,
  ui: {
    tab: 'deliveries',
    places: perTab<Place>({ selected: null, index: 0 }),
    filters: perTab(''),
    recalled: perTab(''),
    draft: null,
    failedOnly: false,
    paused: null,
    overlay: null,
    notice: null,
  },
});
