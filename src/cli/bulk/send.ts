/** Sends rows over many connections and reports the results in the order of the file, so that the progress is a single row number. */
import type { Client, Reply } from '../../client/client.ts';
import { ApiError, Unreachable } from '../../client/errors.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Maximum attempts per row when the service is busy or the connection is lost. */
const ATTEMPTS_MAX = 4;
const BACKOFF_MS = 250;
/** Maximum number of results per connection that wait for an earlier row. */
const BUFFERED_ROWS_PER_CLIENT = 8;

/** Sends one request within the rate limit. */
export type SendRequest = (perform: (client: Client) => Promise<Reply>) => Promise<Reply>;

export interface SendOptions<R, O> {
  readonly rows: AsyncIterable<R>;
  /** One client per connection. */
  readonly clients: readonly Client[];
  readonly limiter: RateLimiter;
  readonly signal: AbortSignal;
  /** Sends one row with `request`. */
  readonly send: (row: R, request: SendRequest) => Promise<O>;
  /** Called once for each row, in order. */
  readonly onResult: (row: R, outcome: O) => void;
}

/** The job was stopped before this request was sent. */
export class JobStopped extends Error {}

/** Resolves when all rows are done or the signal aborts. Throws errors that no single row causes, after pending rows are done. */
export async function sendAll<R, O>({ rows, clients, limiter, signal, send, onResult }: SendOptions<R, O>): Promise<void> {
  const iterator = rows[Symbol.asyncIterator]();
  const queue: { row: R; outcome?: O }[] = [];
  let failure: { error: unknown } | undefined;
  let spaceAvailable = Promise.withResolvers<void>();
  const isStopped = () => signal.aborted || failure !== undefined;

  function reportResults(): void {
    let reportedCount = 0;
    for (const { row, outcome } of queue) {
      if (outcome === undefined) break;
      onResult(row, outcome);
      reportedCount += 1;
    }
    if (reportedCount === 0) return;
    queue.splice(0, reportedCount);
    spaceAvailable.resolve();
    spaceAvailable = Promise.withResolvers();
  }
  async function runWorker(client: Client): Promise<void> {
    const request: SendRequest = (perform) => sendWithinLimit(() => perform(client), limiter, isStopped);
    while (!isStopped()) {
      if (queue.length >= clients.length * BUFFERED_ROWS_PER_CLIENT) {
        await spaceAvailable.promise;
        continue;
      }
      const next = await iterator.next();
      if (next.done === true || isStopped()) return;
      const entry: (typeof queue)[number] = { row: next.value };
      queue.push(entry);
      entry.outcome = await send(next.value, request);
      reportResults();
    }
  }
  await Promise.all(
    clients.map((client) =>
      runWorker(client).catch((error: unknown) => {
        if (!(error instanceof JobStopped)) failure ??= { error };
        spaceAvailable.resolve();
      }),
    ),
  );
  // Closes the file.
  await iterator.return?.();
  if (failure) throw failure.error;
}

/** Sends a request within the rate limit, and retries it while the service is busy. A 429 does not count as an attempt. */
export async function sendWithinLimit<T>(perform: () => Promise<Reply<T>>, limiter: RateLimiter, isOver: () => boolean): Promise<Reply<T>> {
  for (let attempt = 1; ;) {
    if (!(await limiter.acquire()) || isOver()) throw new JobStopped();
    try {
      const reply = await perform();
      limiter.release(reply.headers);
      return reply;
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) {
        limiter.onRefused(error.retryAfterSeconds);
        continue;
      }
      limiter.release();
      if (!isTransient(error) || attempt === ATTEMPTS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS * 2 ** attempt * Math.random()));
      attempt += 1;
    }
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS'
    : error instanceof Unreachable && error.afterSending;

/** Whether the error is about this row only, so that the others can be sent. */
export const isRowError = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 404, 409, 412, 413, 415].includes(error.status) && error.code !== 'IDEMPOTENCY_IN_PROGRESS';

/** Returns a client that sends every request within the rate limit. */
export const withRateLimit = (client: Client, limiter: RateLimiter, isStopped: () => boolean): Client => ({
  send: (request, options) => sendWithinLimit(() => client.send(request, options), limiter, isStopped),
  perform: (op, parts, options) => sendWithinLimit(() => client.perform(op, parts, options), limiter, isStopped),
  call: (op, parts, options) => sendWithinLimit(() => client.call(op, parts, options), limiter, isStopped),
});
