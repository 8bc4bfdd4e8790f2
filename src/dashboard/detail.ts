/** Everything about one row, as text to scroll through. */
import type { ResultOf } from '../contract/operation.ts';
import type { showDelivery } from '../contract/admin/webhooks.ts';
import { visible, widthOf, wrap } from '../cli/width.ts';
import { type Line, plain } from './lines.ts';
import { gauge, perMinute, sparkline } from './meter.ts';
import type { AnyRow, AuditRow, DeliveryRow, EndpointRow, LimitRow, Overlay, RequestRow, Tab } from './model.ts';
import { type Moment, isFailing, leftOf, successRate } from './tables.ts';
import { autoDisableNote, clockTime, grouped, reasonOf, relative, took } from './words.ts';

export type ShownDelivery = ResultOf<typeof showDelivery>['data'];
type Detail = Extract<Overlay, { kind: 'detail' }>;
/** A label with its value, a heading, or a text of its own; texts are broken where they are too wide. */
type Part = readonly [label: string, value: string] | { readonly head: string } | { readonly text: string; readonly tone?: 'bad' | 'dim' };

const LABEL = 16;

export const titleOf = ({ tab, row }: Detail): string =>
  `${{ deliveries: 'delivery', limits: 'key', endpoints: 'endpoint', requests: 'request', audit: 'audit event' }[tab]} ${row.id}`;

export function detailLines(detail: Detail, moment: Moment, width: number): readonly Line[] {
  return partsOf(detail.tab, detail.row, detail.more, moment).flatMap((part) => linesOf(part, width));
}

function linesOf(part: Part, width: number): readonly Line[] {
  if ('head' in part) return [[], [{ text: part.head, bold: true }]];
  if ('text' in part) return part.text.split('\n').flatMap((line) => broken(visible(line), width).map((text) => plain(text, part.tone)));
  const [label, value] = part;
  return broken(visible(value), Math.max(10, width - LABEL)).map((text, index) => [
    { text: (index === 0 ? label : '').padEnd(LABEL), tone: 'dim' as const },
    { text },
  ]);
}

/** At spaces where there are some, else anywhere, never losing the indentation: nothing of a body may be lost at the edge of the screen. */
function broken(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text];
  const indent = /^ */u.exec(text)?.[0].slice(0, Math.floor(width / 2)) ?? '';
  const room = width - indent.length;
  return wrap(text.trimStart(), room)
    .flatMap((line) => pieces(line, room))
    .map((line) => indent + line);
}

function pieces(line: string, width: number): readonly string[] {
  const parts: string[] = [''];
  for (const character of line) {
    const last = parts.length - 1;
    if (widthOf((parts[last] ?? '') + character) > width) parts.push(character);
    else parts[last] = (parts[last] ?? '') + character;
  }
  return parts;
}

function partsOf(tab: Tab, row: AnyRow, more: Detail['more'], moment: Moment): readonly Part[] {
  // The row is of the tab's own kind.
  switch (tab) {
    case 'deliveries':
      return deliveryParts(row as DeliveryRow, more, moment);
    case 'limits':
      return limitParts(row as LimitRow, moment);
    case 'endpoints':
      return endpointParts(row as EndpointRow, moment);
    case 'requests':
      return requestParts(row as RequestRow);
    case 'audit':
      return auditParts(row as AuditRow);
  }
}

const at = (timestamp: string | null, { serviceNow }: Moment): string =>
  timestamp === null ? '–' : `${timestamp}  (${relative(timestamp, serviceNow)})`;

function deliveryParts(row: DeliveryRow, more: Detail['more'], moment: Moment): readonly Part[] {
  const shown = more?.state === 'ready' ? (more.value as ShownDelivery) : null;
  const now = shown ?? row;
  const reason = reasonOf(now.lastError);
  return [
    ['event', now.eventType],
    ['endpoint', `${moment.nameOf(now.webhookId)}  ${now.webhookId}`],
    ['status', `${now.status} after ${String(now.attempts)} ${now.attempts === 1 ? 'attempt' : 'attempts'}`],
    ...(reason === null ? [] : [['reason', `${reason} (${now.lastError ?? ''})`] as const]),
    ...(now.nextAttemptAt === null ? [] : [['next attempt', at(now.nextAttemptAt, moment)] as const]),
    ['created', at(now.createdAt, moment)],
    ['event id', now.eventId ?? '–'],
    ...(more?.state === 'loading' ? [{ text: 'reading the request and its attempts …', tone: 'dim' } as const] : []),
    ...(more?.state === 'failed' ? [{ text: more.reason, tone: 'bad' } as const] : []),
    ...(shown ? historyParts(shown) : []),
  ];
}

function historyParts({ history, request }: ShownDelivery): readonly Part[] {
  const attempts: readonly Part[] = history.map(({ at: when, milliseconds, httpStatus, error }) => [
    `  ${clockTime(when)}`,
    `${(httpStatus === null ? 'no answer' : `HTTP ${String(httpStatus)}`).padEnd(10)} ${took(milliseconds).padStart(7)}  ${error ?? 'delivered'}`,
  ]);
  if (!request)
    return [{ head: 'Attempts' }, ...attempts, { text: 'The endpoint or the event is gone, so the request cannot be shown.', tone: 'dim' }];
  const headers = Object.entries(request.headers).map(([name, value]) => ({ text: `  ${name}: ${value}` }));
  return [
    { head: 'Attempts' },
    ...(attempts.length === 0 ? [{ text: '  none yet' }] : attempts),
    { head: `${request.method} ${request.url}` },
    ...headers,
    { head: 'Body' },
    { text: prettyJson(request.body) },
  ];
}

function limitParts(row: LimitRow, { now }: Moment): readonly Part[] {
  const left = leftOf(row, now);
  const limit = row.limit ?? 0;
  return [
    ['key', row.prefix],
    ['name', row.name ?? '–'],
    ['tier', row.tier],
    ['limit', row.limit === null ? 'not known yet' : `${grouped(limit)} requests a minute`],
    ['left', left === null ? '–' : `${grouped(left)}  ${gauge(limit - left, limit, 30)}`],
    ['last minute', `${grouped(perMinute(row.meter, now))} requests`],
    ['', sparkline(row.meter, now)],
    ['refused (429)', `${grouped(row.refused)} since the dashboard was opened`],
    ['id', row.id],
  ];
}

function endpointParts(row: EndpointRow, moment: Moment): readonly Part[] {
  return [
    ['name', row.name],
    ['target', row.targetUrl],
    ['status', row.status],
    [
      'success',
      `${successRate(row)}: ${grouped(row.delivered)} delivered, ${grouped(row.failed)} failed, ${grouped(row.discarded)} discarded`,
    ],
    ['queue', row.queued === null ? 'a remote service does not tell it' : grouped(row.queued)],
    ['oldest queued', at(row.oldestQueuedAt, moment)],
    ['next attempt', at(row.nextAttemptAt, moment)],
    ['failing since', at(row.failingSince, moment)],
    ...(isFailing(row) ? [['', `${grouped(row.failedAttempts)} failed attempts since. ${autoDisableNote}`] as const] : []),
    ['id', row.id],
  ];
}

function requestParts(row: RequestRow): readonly Part[] {
  return [
    ['request', `${row.method} ${row.path}`],
    ['status', row.status === null ? 'the caller went away before the answer' : String(row.status)],
    ['took', took(row.milliseconds)],
    ['at', row.at],
    ['operation', row.operationId ?? 'none: no such path'],
    ['key', row.keyPrefix ?? 'none, or not a valid one'],
    ['request id', row.requestId],
    { text: '' },
    {
      text: 'Query, headers and body are not told: they may hold secrets. `stockroom daemon logs` knows the rest by the request id.',
      tone: 'dim',
    },
  ];
}

function auditParts(row: AuditRow): readonly Part[] {
  return [
    ['action', row.action],
    ['at', row.createdAt],
    ['actor', `${row.actorType} ${row.actorId}`],
    ['resource', `${row.resourceType} ${row.resourceId}`],
    ['from', row.ipAddress ?? '–'],
    ['id', row.id],
    { head: 'Metadata' },
    { text: JSON.stringify(row.metadata, undefined, 2) },
  ];
}

/** Indented where it is JSON, else as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
