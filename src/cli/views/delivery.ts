/** A delivery at a terminal: its request and its attempts. */
import type { Infer } from '../../contract/schema/builder.ts';
import type { showDelivery } from '../../contract/admin/webhooks.ts';
import { formatLocalSecond } from '../output/fields.ts';
import { indentJson } from '../output/formats.ts';
import type { View } from '../output/printer.ts';
import type { Paint } from '../output/style.ts';
import { pad, measureWidth } from '../output/text-width.ts';
import { escapeJson, sanitize } from '../../platform/terminal-text.ts';

type ShownDelivery = Infer<typeof showDelivery.result>['data'];

const INDENT = '  ';
const GAP = 2;

/** Formats the request. A header value that does not fit next to its name follows on its own line, so that it can be copied. */
export function formatRequest(request: NonNullable<ShownDelivery['request']>, paint: Paint, terminalWidth: number): string[] {
  const headers = Object.entries(request.headers);
  const width = Math.max(0, ...headers.map(([name]) => measureWidth(name))) + GAP;
  return [
    paint('bold', sanitize(`${request.method} ${request.url}`)),
    ...(request.asSent ? [] : [paint('dim', `${INDENT}as the next attempt or a resend would send it`)]),
    ...headers.flatMap(([name, value]) => {
      const text = sanitize(value);
      return INDENT.length + width + measureWidth(text) <= terminalWidth
        ? [`${INDENT}${paint('dim', pad(sanitize(name), width))}${text}`]
        : [INDENT + paint('dim', sanitize(name)), INDENT + INDENT + text];
    }),
    '',
    ...escapeJson(indentJson(request.body)).split('\n'),
  ];
}

const ATTEMPT_FIELDS = ['try', 'at', 'httpStatus', 'milliseconds', 'error'];
const TIMING_FIELDS = ['waited', 'connected', 'answered', 'stored'];
/** From this width on, there is room for the steps of attempts. */
const TIMING_COLUMNS = 110;

/** The columns of attempts, with the steps of those that recorded them if there is room. */
export function getAttemptView({ history }: Pick<ShownDelivery, 'history'>, terminalWidth = Infinity): View {
  const isTimed = terminalWidth >= TIMING_COLUMNS && history.some(({ timing }) => timing !== undefined);
  const fields = isTimed ? [...ATTEMPT_FIELDS, ...TIMING_FIELDS] : ATTEMPT_FIELDS;
  return { fields, columns: fields, neverTruncated: ['at'] };
}

/** Converts the recorded attempts to rows with their numbers, and with times to the second. */
export function toAttemptRows({ attempts, history }: Pick<ShownDelivery, 'attempts' | 'history'>): readonly object[] {
  return history.map(({ timing, ...attempt }, at) => ({
    ...attempt,
    ...timing,
    try: attempts - history.length + at + 1,
    at: formatLocalSecond(new Date(attempt.at)),
  }));
}

/** When a delivery that has been attempted is attempted again; no lines if it is not. */
export function formatNextAttempt({ attempts, nextAttemptAt }: Pick<ShownDelivery, 'attempts' | 'nextAttemptAt'>): string[] {
  return nextAttemptAt === null ? [] : [`Attempt ${String(attempts + 1)} at ${formatLocalSecond(new Date(nextAttemptAt))}`];
}

/** Formats the recorded response of the latest failed attempt that has one; no lines if there is none. */
export function formatResponse({ attempts, history }: Pick<ShownDelivery, 'attempts' | 'history'>, paint: Paint): string[] {
  const index = history.findLastIndex(({ response }) => response !== null);
  const { response, httpStatus } = history[index] ?? {};
  if (!response) return [];
  const { headers, body, isTruncated } = response;
  const names = Object.keys(headers);
  const width = Math.max(0, ...names.map((name) => measureWidth(name))) + GAP;
  return [
    paint('bold', `Response to attempt ${String(attempts - history.length + index + 1)}: HTTP ${String(httpStatus)}`),
    ...names.map((name) => `${INDENT}${paint('dim', pad(sanitize(name), width))}${sanitize(headers[name] ?? '')}`),
    ...(body === '' ? [`${INDENT}no body`] : ['', ...formatBody(body)]),
    ...(isTruncated ? [paint('dim', 'Only the first KiB of the body is recorded.')] : []),
  ];
}

/** JSON is indented; other text keeps its lines. */
function formatBody(body: string): string[] {
  try {
    JSON.parse(body);
  } catch {
    return body.split(/\r?\n/u).map(sanitize);
  }
  return escapeJson(indentJson(body)).split('\n');
}
