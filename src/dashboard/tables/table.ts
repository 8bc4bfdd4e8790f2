/** What a table consists of, as data, and what its cells may need besides their row. */
import type { QueryField } from '../../client/row-query/row-query.ts';
import type { AuditRow, DeliveryRow, State } from '../state/model.ts';
import { formatDuration, formatNumber, formatRelative, formatTimeOrDate } from './format.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'plain';

export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  readonly bold?: true;
}

export interface Column<R> {
  readonly title: string;
  /** What is shown instead of the title, if it depends on the service. */
  label?(context: RenderContext): string;
  readonly width: number;
  /** Columns with a higher rank are shown only where it could be this wide. */
  readonly comfortable?: number;
  /** For drawings: the width when space remains. Texts grow as far as they need. */
  readonly grow?: number;
  /** Columns with a higher rank are hidden first on a narrow screen. */
  readonly rank: number;
  readonly right?: true;
  text(row: R, context: RenderContext, width: number): string;
  /** What rows are sorted by, if not by the text. Null comes first. */
  order?(row: R, context: RenderContext): number | string | null;
  tone?(row: R, context: RenderContext): Tone;
}

/** An event with its type and the time of its commit. */
interface IdentifiedEvent {
  readonly id: string;
  readonly event: string;
  readonly occurredAt: string;
}

/** What a cell may need besides its row. */
export interface RenderContext {
  readonly now: number;
  /** The current time of the service's clock. */
  readonly serviceNow: number;
  readonly showsRecordsAsJson: boolean;
  /** The local daemon, not a remote service. */
  readonly isLocal: boolean;
  readonly hasLogFile: boolean;
  /** Of amounts whose record names none. */
  readonly currency: string | undefined;
  getEndpointName(webhookId: string): string;
  /** Of a stock level in an event; undefined for another record, or until it was read. */
  getLevelName(resourceId: string): string | undefined;
  /** The deliveries of an event, as far as they were read. */
  getDeliveries(event: IdentifiedEvent): readonly { readonly endpoint: string; readonly status: string }[];
  /** The name of a user or API key, otherwise the id of the actor. */
  getActorName(row: Pick<AuditRow, 'actorId' | 'actorName' | 'actorType'>): string;
}

export interface Table<R> {
  readonly title: string;
  /** In the bar of tabs of a screen that has no room for all titles. */
  readonly short: string;
  /** Newest rows at the end; the list can follow them. */
  readonly isFollowable: boolean;
  readonly columns: readonly Column<R>[];
  /** The text that words of the filter match. */
  search(row: R, context: RenderContext): string;
  /** The fields that the filter can name, as in `event:order.*`. */
  queryFields(context: RenderContext): Readonly<Record<string, QueryField<R>>>;
  /** Whether `f` shows the row. A table without problems does not have it. */
  isProblem?(row: R, context: RenderContext): boolean;
  /** Shown when there are no rows. */
  readonly emptyText: string;
}

/** `since:2h` and `until:10m`, for rows with a time. */
export const timeFields = <R>(getTime: (row: R) => string) => ({
  since: { kind: 'since', get: (row: R) => Date.parse(getTime(row)) } as const,
  until: { kind: 'until', get: (row: R) => Date.parse(getTime(row)) } as const,
});

export const textField = <R>(get: (row: R) => string | null | readonly string[]) => ({ kind: 'text', get }) as const;

export const timeColumn = <R>(getTime: (row: R) => string): Column<R> => ({
  title: 'TIME',
  width: 8,
  rank: 1,
  order: getTime,
  text: (row, { serviceNow }) => formatTimeOrDate(getTime(row), serviceNow),
});

/** A number, sorted by its value. */
export const numberColumn = <R>(
  title: string,
  size: Pick<Column<R>, 'width' | 'rank'>,
  get: (row: R, context: RenderContext) => number | null,
  format: (value: number | null) => string = (value) => (value === null ? '–' : formatNumber(value)),
): Column<R> => ({ title, ...size, right: true, order: get, text: (row, context) => format(get(row, context)) });

export const durationColumn = <R>(title: string, size: Pick<Column<R>, 'width' | 'rank'>, get: (row: R) => number | null): Column<R> =>
  numberColumn(title, size, get, formatDuration);

/** A time relative to now; empty without one. */
export const relativeColumn = <R>(title: string, size: Pick<Column<R>, 'width' | 'rank'>, get: (row: R) => string | null): Column<R> => ({
  title,
  ...size,
  order: get,
  text: (row, { serviceNow }) => {
    const time = get(row);
    return time === null ? '' : formatRelative(time, serviceNow);
  },
});

/** Shown where there is room for it. */
export const dimColumn = <R>(title: string, size: Pick<Column<R>, 'width' | 'rank'>, text: Column<R>['text']): Column<R> => ({
  title,
  ...size,
  text,
  tone: () => 'dim',
});

export const getColumnLabel = <R>({ title, label }: Column<R>, context: RenderContext): string => label?.(context) ?? title;

export const createRenderContext = (state: State, now: number): RenderContext => {
  const names = new Map(state.rows.endpoints.map(({ id, name }) => [id, name]));
  const getEndpointName = (id: string): string => names.get(id) ?? id.slice(0, 8);
  let byEvent: Map<string, DeliveryRow[]> | undefined;
  return {
    now,
    serviceNow: now + state.about.clockAheadMs,
    showsRecordsAsJson: state.ui.showsRecordsAsJson,
    isLocal: state.about.isLocal,
    hasLogFile: state.about.hasLogFile,
    currency: state.about.tenant.currency ?? undefined,
    getEndpointName,
    getLevelName: (id) => state.levelNames[id] || undefined,
    getDeliveries: ({ id, event, occurredAt }) => {
      // A remote service does not say which event a delivery is of.
      byEvent ??= Map.groupBy(state.rows.deliveries, ({ eventId, eventType, createdAt }) => eventId ?? `${eventType} ${createdAt}`);
      return (byEvent.get(id) ?? byEvent.get(`${event} ${occurredAt}`) ?? []).map(({ webhookId, status }) => ({
        endpoint: getEndpointName(webhookId),
        status,
      }));
    },
    getActorName: ({ actorType, actorId, actorName }) =>
      actorName ?? (actorType === 'api' ? state.keyNames[actorId] : undefined) ?? actorId,
  };
};
