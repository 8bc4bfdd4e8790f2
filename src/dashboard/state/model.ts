/** The state of the dashboard as plain values. Only `reduce.ts` and `actions/key-press.ts` create new states. */
import type { SavedFilter } from '../../client/settings/saved-filters.ts';
import type { EndpointHealth, OwnedDelivery } from '../../contract/admin/webhooks.ts';
import type { AuditEvent } from '../../contract/resources/audit.ts';
import type { Fulfilment, Order, OrderStatus } from '../../contract/resources/orders.ts';
import type { ChangeEventEntry } from '../../contract/resources/events.ts';
import type { FeedRequest } from '../../contract/admin/feed.ts';
import type { SUBSCRIBABLE_EVENTS } from '../../contract/events.ts';
import type { Plan } from '../../contract/scopes.ts';
import { MINUTE_MS, type Meter, emptyMeter } from './meter.ts';

export const TABS = ['overview', 'deliveries', 'limits', 'endpoints', 'requests', 'audit', 'items', 'orders', 'events'] as const;
export type Tab = (typeof TABS)[number];

/** Fields that the public API does not have are null for a remote service. */
export interface DeliveryRow extends Omit<OwnedDelivery, 'eventId' | 'nextAttemptAt'> {
  readonly eventId: string | null;
  readonly nextAttemptAt: string | null;
}
export interface RequestRow extends FeedRequest {
  readonly id: string;
}
/** Only the local daemon knows the names; its feed does not have them. */
export interface AuditRow extends AuditEvent {
  readonly actorName?: string | null;
  readonly recordName?: string | null;
}
export type EventRow = ChangeEventEntry;
export type EndpointRow = Omit<EndpointHealth, 'queued'> & { readonly queued: number | null };
export interface LimitRow {
  /** Id of the key. */
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly tier: string;
  readonly limit: number | null;
  /** Null until the key has been used. */
  readonly remaining: number | null;
  /** End of the window, in epoch milliseconds of this machine's clock. */
  readonly resetsAt: number | null;
  /** Requests of the last minute, by second. */
  readonly meter: Meter;
  /** Requests of the last hour, by minute. */
  readonly hour: Meter;
  /** 429 responses of the last hour, by minute. */
  readonly rejected: Meter;
}

/** The stock of an item at a site. */
export interface ItemRow {
  readonly id: string;
  readonly itemId: string;
  readonly sku: string | null;
  readonly name: string;
  readonly site: string;
  readonly unit: string | null;
  readonly onHand: number;
  readonly committed: number;
  readonly incoming: number;
  readonly available: number;
  readonly reorderPoint: number | null;
  /** At or below its reorder point, or oversold. */
  readonly isLow: boolean;
  /** The command that replenishes the stock; null if none is needed or known. */
  readonly command: string | null;
}

/** An order that is not finished. What only later releases report is null. */
export interface OrderRow extends Pick<
  Order,
  'id' | 'orderNumber' | 'module' | 'status' | 'priority' | 'orderDate' | 'dueDate' | 'updatedAt'
> {
  readonly contact: string;
  readonly site: string | null;
  /** Was due before today in the time zone of the tenant. */
  readonly isLate: boolean;
  readonly fulfilment: Fulfilment | null;
  readonly total: number | null;
  readonly currency: string | null;
}

/** Rows of a tab. */
export interface Target {
  readonly tab: Tab;
  readonly filter: string;
  readonly problemsOnly: boolean;
}

/** A sentence about something that needs attention, and where Enter leads. */
export interface AttentionRow {
  readonly id: string;
  readonly text: string;
  readonly tone: 'bad' | 'warn';
  /** Null when only a command outside of the dashboard helps. */
  readonly target: Target | null;
}

export interface Rows {
  readonly deliveries: readonly DeliveryRow[];
  readonly limits: readonly LimitRow[];
  readonly endpoints: readonly EndpointRow[];
  readonly requests: readonly RequestRow[];
  readonly audit: readonly AuditRow[];
  readonly items: readonly ItemRow[];
  readonly orders: readonly OrderRow[];
  readonly events: readonly EventRow[];
}
/** A tab with a list of rows that are read; those of the overview follow from them. */
export type DataTab = keyof Rows;
export type AnyRow = Rows[DataTab][number] | AttentionRow;

/** By minute of the last hour. */
export interface Counts {
  /** All requests that are known one by one; then responses with 4xx, and with 5xx. */
  readonly all: Meter;
  readonly clientErrors: Meter;
  readonly serverErrors: Meter;
}

export interface About {
  readonly url: string;
  /** True for the local daemon, which streams its changes; false for a remote service, which is polled. */
  readonly isLocal: boolean;
  readonly version: string | null;
  /** `currency`: of amounts whose record names none. */
  readonly tenant: {
    readonly slug: string | null;
    readonly name: string | null;
    readonly plan: Plan | null;
    readonly currency: string | null;
  };
  /** The public prefix of the production key in use. */
  readonly productionKey: string | null;
  /** Active injected faults; null if there are none. */
  readonly faults: string | null;
  /** Why the local daemon rejects changes; null while it accepts them. */
  readonly storeProblem: string | null;
  /** Whether the local daemon logs to a file. In the foreground it logs to the terminal. */
  readonly hasLogFile: boolean;
  /** How often a remote service is polled, as text. */
  readonly polling: string | null;
  /** Milliseconds by which the service's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
}

/** `since` in epoch milliseconds. */
export type Connection =
  | { readonly state: 'connecting' | 'live'; readonly since: number }
  | { readonly state: 'lost'; readonly since: number; readonly reason: string };

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

/** The content of a detail view and its loading state. */
export type Content<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly reason: string };
export type DetailContent = Content<unknown>;

/** What a status would do to the stock of an order's items, of this version of the order. */
export interface StatusPreview {
  readonly version: string;
  readonly effects: readonly StatusEffect[];
}

/** The failed deliveries of an endpoint that were recorded since then. */
export interface ReplayRequest {
  readonly webhookId: string;
  readonly since: string;
  /** Event types; all if absent. */
  readonly types?: readonly (typeof SUBSCRIBABLE_EVENTS)[number][];
}

/** How many deliveries the service would resend. */
export interface ReplayCount {
  readonly request: ReplayRequest;
  readonly selected: number;
  readonly oldestAt: string | null;
}

export interface StatusEffect {
  readonly item: string;
  readonly change: number;
  readonly onHand: number;
  readonly committed: number;
  readonly available: number;
}

/** A record of the public API. `order`: its row, if it is one. */
export interface FoundRecord {
  readonly path: string;
  readonly value: unknown;
  readonly order?: OrderRow;
}

export interface Sorting {
  /** Title of the column. */
  readonly by: string;
  readonly isDescending: boolean;
}

/** The scroll position of an overlay that shows its end, also after more of it has been loaded. Others count lines from the start. */
export const FOLLOWS_END = Number.POSITIVE_INFINITY;

/** The details of a row. */
export interface Detail {
  readonly kind: 'detail';
  readonly tab: DataTab;
  readonly row: AnyRow;
  readonly content: DetailContent | null;
  readonly scroll: number;
}

/** A record that was looked up by its name. */
export interface RecordOverlay {
  readonly kind: 'record';
  /** Kind and name of the record: the title. */
  readonly id: string;
  readonly content: Content<FoundRecord>;
  readonly scroll: number;
}

/** Asks before deliveries are resent, then shows how far it is. */
export interface ResendQuestion {
  readonly kind: 'resend';
  readonly rows: readonly DeliveryRow[];
  /** Where they were chosen: by marks, in the list of deliveries, or for a sentence of the overview. */
  readonly from: 'marked' | 'shown' | 'overview';
  /** Deliveries per second. */
  readonly rate: number;
  /** What the service has of failed deliveries that match; null if replays cannot name them. */
  readonly all: Content<readonly ReplayCount[]> | null;
  /** These are resent, by replays of the service, instead of `rows`. */
  readonly isAll: boolean;
  readonly progress: { readonly queued: number; readonly rejected: number; readonly isPaused: boolean } | null;
  readonly scroll: number;
}

/** Asks for the new status of an order. */
export interface StatusQuestion {
  readonly kind: 'status';
  readonly order: OrderRow;
  readonly to: OrderStatus;
  readonly content: Content<StatusPreview>;
  readonly scroll: number;
  /** What is shown again after the answer. */
  readonly before: Detail | null;
}

/** What is done only after `y`. */
export type ConfirmedEffect = { readonly type: 'resend'; readonly row: DeliveryRow } | { readonly type: 'trigger'; readonly event: string };

/** Asks in the status line. */
export interface Confirmation {
  readonly kind: 'confirm';
  readonly question: string;
  readonly effect: ConfirmedEffect;
  /** The notice after any other answer. */
  readonly refusal: string;
  /** What is shown again after the answer. */
  readonly before: Detail | null;
}

/** What takes the place of the list. */
export type OpenOverlay =
  /** The saved filters, each with its key. */
  | { readonly kind: 'filters'; readonly scroll: number }
  | { readonly kind: 'help'; readonly scroll: number }
  | Detail
  | RecordOverlay
  | ResendQuestion
  | StatusQuestion;

export type Overlay = OpenOverlay | Confirmation | { readonly kind: 'copy'; readonly tab: DataTab; readonly row: AnyRow };

/** How the list of a tab is shown. */
export interface ListView {
  /** Id of the selected row; null for the first one, or for the newest one of a list that can follow it. */
  readonly selected: string | null;
  /** Index of the row when it was selected, used after the row has been removed. */
  readonly index: number;
  readonly filter: string;
  /** The filters that were typed, the latest first. */
  readonly filterHistory: readonly string[];
  /** Only rows that need attention are shown. */
  readonly problemsOnly: boolean;
  readonly sorting: Sorting | null;
}

export interface Ui {
  readonly tab: Tab;
  readonly views: Readonly<Record<Tab, ListView>>;
  /** How many filters ago the one being typed was recalled from; 0 if it was not. */
  readonly recalledBack: number;
  /** The filter being typed; null when not typing. */
  readonly filterInput: string | null;
  /** The command being typed after `:`; null when not typing. */
  readonly commandInput: string | null;
  /** Ids of the marked deliveries. */
  readonly marked: ReadonlySet<string>;
  /** The endpoint whose deliveries are shown; null for all. Esc returns to the endpoints. */
  readonly endpointId: string | null;
  /** Records are shown as JSON instead of fields. */
  readonly showsRecordsAsJson: boolean;
  /** On a wide screen, the details of the selected row are next to the list. */
  readonly isSplit: boolean;
  /** What was loaded for these details. */
  readonly preview: { readonly id: string; readonly content: DetailContent } | null;
  /** The rows when the display was paused, and how many were added since. */
  readonly paused: { readonly rows: Rows; readonly held: Readonly<Record<DataTab, number>> } | null;
  readonly overlay: Overlay | null;
  /** What is looked for in the open overlay, and the line that was gone to. */
  readonly search: { readonly text: string; readonly isTyping: boolean; readonly line: number | null } | null;
  readonly notice: Notice | null;
}

export interface State {
  readonly about: About;
  readonly connection: Connection;
  /** Whether everything was read once, as far as the key permits. */
  readonly isComplete: boolean;
  /** Why the rows of a tab cannot be read: the key lacks a scope, or the service does not have them. */
  readonly unavailable: Readonly<Partial<Record<DataTab, string>>>;
  readonly rows: Rows;
  readonly counts: Counts;
  /** Names of API keys, also of revoked ones, by id. */
  readonly keyNames: Readonly<Record<string, string>>;
  /** Names of the stock levels in events, by the id that these have. */
  readonly levelNames: Readonly<Record<string, string>>;
  readonly capabilities: { readonly since: string; readonly rows: readonly Capability[] };
  readonly savedFilters: readonly SavedFilter[];
  readonly ui: Ui;
}

const perTab = <T>(value: T): Readonly<Record<Tab, T>> =>
  // One entry for each tab.
  Object.fromEntries(TABS.map((tab) => [tab, value])) as Record<Tab, T>;

export const NO_ROWS: Rows = { deliveries: [], limits: [], endpoints: [], requests: [], audit: [], items: [], orders: [], events: [] };
export const NONE_HELD: Readonly<Record<DataTab, number>> = perTab(0);

export const createInitialState = (about: About, now: number, savedFilters: readonly SavedFilter[] = []): State => ({
  about,
  connection: { state: 'connecting', since: now },
  isComplete: false,
  unavailable: {},
  rows: NO_ROWS,
  counts: {
    all: emptyMeter(now, MINUTE_MS),
    clientErrors: emptyMeter(now, MINUTE_MS),
    serverErrors: emptyMeter(now, MINUTE_MS),
  },
  keyNames: {},
  levelNames: {},
  capabilities: { since: 'since the dashboard was opened', rows: [] },
  savedFilters,
  ui: {
    tab: 'overview',
    views: perTab({ selected: null, index: 0, filter: '', filterHistory: [], problemsOnly: false, sorting: null }),
    recalledBack: 0,
    filterInput: null,
    commandInput: null,
    marked: new Set(),
    endpointId: null,
    showsRecordsAsJson: false,
    isSplit: true,
    preview: null,
    paused: null,
    overlay: null,
    search: null,
    notice: null,
  },
});

export const getOpenDetail = ({ ui: { overlay } }: State): Detail | null => (overlay?.kind === 'detail' ? overlay : null);

export const withUi = (state: State, ui: Partial<Ui>): State => ({ ...state, ui: { ...state.ui, ...ui } });

export const withView = (state: State, tab: Tab, view: Partial<ListView>): State =>
  withUi(state, { views: { ...state.ui.views, [tab]: { ...state.ui.views[tab], ...view } } });
