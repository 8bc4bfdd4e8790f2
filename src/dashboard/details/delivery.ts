/** The details of a delivery: its attempts step by step, what was sent, and what was answered. */
import type { ShownDelivery } from '../sources/source.ts';
import type { DeliveryRow, DetailContent } from '../state/model.ts';
import { explainError, formatCount } from '../tables/format.ts';
import type { RenderContext } from '../tables/table.ts';
import { listAttempts } from './attempts.ts';
import { type Part, formatMoment } from './parts.ts';

export function listDeliveryParts(row: DeliveryRow, content: DetailContent | null, context: RenderContext): readonly Part[] {
  const shown = content?.state === 'ready' ? (content.value as ShownDelivery) : null;
  const now = shown ?? row;
  const reason = explainError(now.lastError);
  return [
    ['event', now.eventType],
    ['endpoint', `${context.getEndpointName(now.webhookId)}  ${now.webhookId}`],
    ['status', `${now.status} after ${formatCount(now.attempts, 'attempt')}`],
    ...(reason === null ? [] : [['reason', `${reason} (${now.lastError ?? ''})`] as const]),
    ...(now.nextAttemptAt === null ? [] : [['next attempt', formatMoment(now.nextAttemptAt, context)] as const]),
    ['committed', formatMoment(now.createdAt, context)],
    ['event id', now.eventId ?? '–'],
    ...(content?.state === 'loading' ? [{ text: 'Loading request and attempts…', tone: 'dim' } as const] : []),
    ...(content?.state === 'failed' ? [{ text: content.reason, tone: 'bad' } as const] : []),
    ...(shown ? [...listAttemptParts(shown, context), ...listResponseParts(shown), ...listRequestParts(shown)] : []),
  ];
}

const listAttemptParts = (shown: ShownDelivery, context: RenderContext): readonly Part[] => [
  { head: 'Attempts' },
  shown.history.length === 0 ? { text: 'none yet', indent: 2 } : listAttempts(shown, context),
];

const listHeaders = (headers: Readonly<Record<string, string>>): readonly Part[] =>
  Object.entries(headers).map(([name, value]) => ({ text: `${name}: ${value}`, indent: 2 }));

/** The response of the latest failed attempt that has one. */
function listResponseParts({ attempts, history }: ShownDelivery): readonly Part[] {
  // A daemon of an earlier release sends none.
  const index = history.findLastIndex(({ response }) => response !== null && response !== undefined);
  const { response, httpStatus } = history[index] ?? {};
  if (!response) return [];
  const { headers, body, isTruncated } = response;
  return [
    { head: `Response to attempt ${String(attempts - history.length + index + 1)}: HTTP ${String(httpStatus)}` },
    ...listHeaders(headers),
    body === '' ? { text: 'no body', tone: 'dim', indent: 2 } : { json: body },
    ...(isTruncated ? [{ text: 'Only the first KiB of the body is recorded.', tone: 'dim' } as const] : []),
  ];
}

function listRequestParts({ request }: ShownDelivery): readonly Part[] {
  if (!request) return [{ text: 'The endpoint or the event no longer exists, so the request cannot be shown.', tone: 'dim' }];
  return [{ head: `${request.method} ${request.url}` }, ...listHeaders(request.headers), { head: 'Body' }, { json: request.body }];
}
