/** Plays recorded requests against a service and finds the first reply that differs. Ids are mapped by their position in the replies. */
import { randomUUID } from 'node:crypto';
import type { RecordedExchange } from '../client/recorded-exchange.ts';
import type { HttpReply, HttpRequest, Transport } from '../client/transport/transport.ts';
import { API_KEY, IDEMPOTENCY_KEY } from '../contract/headers.ts';
import { type Difference, OWN_FIELDS, compareReplies, parseReply } from './compare.ts';

export interface ReplayDifference extends Difference {
  /** From 1. */
  readonly number: number;
  /** Method and path, as sent. */
  readonly request: string;
}

export interface ReplayOutcome {
  readonly played: number;
  /** Requests whose reply was not that of the service alone: limited, failed, without a valid key, or cut. */
  readonly skipped: number;
  readonly difference: ReplayDifference | undefined;
}

interface ReplayOptions {
  readonly transport: Transport;
  readonly key: string;
  readonly onProgress: (done: number) => void;
  /** Ends the replay early. */
  readonly signal: AbortSignal;
}

const SENT_HEADERS = ['accept', 'content-type', 'if-match', 'if-none-match'];
/** What a later request may refer to. */
const MAPPED_FIELDS = /(?:^|\.)(?:id|\w+Id|\w+Ids\[\]|orderNumber|documentNumber|\w+At|nextCursor)$/u;
/** Positions in the events of a service. */
const POSITIONS = /(?:^|\.)(?:nextCursor|sequence|position)$/u;
const HIDDEN = '[hidden]';
const TOO_MANY = 429;
const UNAUTHENTICATED = 401;
const SERVER_ERROR = 500;

export async function replay(
  exchanges: readonly RecordedExchange[],
  { transport, key, onProgress, signal }: ReplayOptions,
): Promise<ReplayOutcome> {
  const ids = new Map<string, string>();
  let played = 0;
  let skipped = 0;
  for (const [at, exchange] of exchanges.entries()) {
    if (signal.aborted) break;
    onProgress(at);
    if (!canRepeat(exchange)) {
      skipped += 1;
      continue;
    }
    const request = toRequest(exchange, ids, key);
    const got = await transport(request);
    played += 1;
    const [difference] = exchange.expected ? compare(exchange.expected, got, ids) : [];
    if (difference) return { played, skipped, difference: { number: at + 1, request: `${request.method} ${request.path}`, ...difference } };
  }
  return { played, skipped, difference: undefined };
}

function canRepeat({ headers, expected, isTruncated }: RecordedExchange): boolean {
  if (isTruncated) return false;
  const status = expected?.status ?? 0;
  // The key of the recording is hidden: whether it was valid is unknown.
  return status !== TOO_MANY && status < SERVER_ERROR && !(status === UNAUTHENTICATED && hasKey(headers));
}

const hasKey = (headers: RecordedExchange['headers']): boolean => headers[API_KEY] !== undefined || headers['authorization'] !== undefined;

function toRequest({ method, path, headers, body }: RecordedExchange, ids: Map<string, string>, key: string): HttpRequest {
  const [pathname = '', query] = path.split('?');
  const idempotencyKey = headers[IDEMPOTENCY_KEY];
  // A request that was repeated with the same key is repeated with the same new one.
  if (idempotencyKey !== undefined && !ids.has(idempotencyKey)) ids.set(idempotencyKey, randomUUID());
  const search = new URLSearchParams(
    [...new URLSearchParams(query)].map(([name, value]): [string, string] => [
      name,
      value
        .split(',')
        .map((part) => mapText(part, ids))
        .join(','),
    ]),
  );
  const segments = pathname.split('/').map((segment) => encodeURIComponent(mapText(decodeURIComponent(segment), ids)));
  return {
    method,
    path: segments.join('/') + (query === undefined ? '' : `?${search.toString()}`),
    headers: {
      ...Object.fromEntries(SENT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, mapText(headers[name], ids)]]))),
      ...(hasKey(headers) ? { [API_KEY]: key } : {}),
      ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: mapText(idempotencyKey, ids) }),
    },
    ...(body === undefined ? {} : { body: mapBody(body, ids) }),
  };
}

const mapText = (text: string, ids: ReadonlyMap<string, string>): string => ids.get(text) ?? text;

function mapBody(body: string, ids: ReadonlyMap<string, string>): string {
  try {
    return JSON.stringify(JSON.parse(body, (_name, value: unknown) => (typeof value === 'string' ? mapText(value, ids) : value)));
  } catch {
    // Invalid on purpose.
    return body;
  }
}

function compare(expected: HttpReply, got: HttpReply, ids: Map<string, string>): readonly Difference[] {
  const found = compareReplies(expected, got, false);
  return found.length > 0 ? found : compareValues(parseReply(expected.text), parseReply(got.text), '', ids);
}

/** Values in the order of the expected reply. Those that are of one service, such as ids and times, are remembered for later requests. */
function compareValues(expected: unknown, got: unknown, path: string, ids: Map<string, string>): Difference[] {
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return [{ what: `rows of ${path}`, expected: String(expected.length), got: String(got.length) }];
    return expected.flatMap((each, at) => compareValues(each, got[at], `${path}[${String(at)}]`, ids));
  }
  if (isObject(expected) && isObject(got))
    return Object.keys(expected).flatMap((name) => compareValues(expected[name], got[name], path === '' ? name : `${path}.${name}`, ids));
  const field = path.replaceAll(/\[\d+\]/gu, '[]');
  if (MAPPED_FIELDS.test(field) && typeof expected === 'string' && typeof got === 'string') ids.set(expected, got);
  if (OWN_FIELDS.test(field) || POSITIONS.test(field)) return [];
  return expected === got || expected === HIDDEN ? [] : [{ what: path, expected: JSON.stringify(expected), got: JSON.stringify(got) }];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
