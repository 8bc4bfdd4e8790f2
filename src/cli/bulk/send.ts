/** Sends rows over many connections at once, and settles them in the order of the file, so that one number says how far a job is. */
import type { Client, Reply } from '../../client/client.ts';
import { ApiError, Unreachable } from '../../client/errors.ts';
import type { Pace } from './pace.ts';

/** How often one row is tried while the service is busy or the connection breaks. */
const TRIES = 4;
const BACKOFF_MS = 250;
/** Rows that may be settled behind one that takes long, for each connection. */
const AHEAD = 8;

export type Outcome =
  | { readonly kind: 'created' | 'updated' | 'repeated' }
  /** The service refused this row; the others go on. */
  | { readonly kind: 'refused'; readonly error: ApiError };

/** Sends one request in its turn. */
export type Request = (perform: (client: Client) => Promise<Reply>) => Promise<Reply>;

export interface SendOptions<R, O> {
  readonly rows: AsyncIterable<R>;
  /** One client per connection. */
  readonly lanes: readonly Client[];
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Sends one row by `request`, which waits its turn. */
  readonly send: (row: R, request: Request) => Promise<O>;
  /** Called once for each row, in order. */
  readonly settle: (row: R, outcome: O) => void;
}

/** The job was stopped before this request was sent. */
export class Stopped extends Error {}

/** Resolves when every row is settled or the signal stopped it; throws what no row can be blamed for. Then as much as was sent is settled. */
export async function sendAll<R, O>({ rows, lanes, pace, signal, send, settle }: SendOptions<R, O>): Promise<void> {
  const iterator = rows[Symbol.asyncIterator]();
  const line: { row: R; outcome?: O }[] = [];
  let failure: { error: unknown } | undefined;
  let room = Promise.withResolvers<void>();
  const isOver = () => signal.aborted || failure !== undefined;

  function advance(): void {
    let settled = 0;
    for (const { row, outcome } of line) {
      if (outcome === undefined) break;
      settle(row, outcome);
      settled += 1;
    }
    if (settled === 0) return;
    line.splice(0, settled);
    room.resolve();
    room = Promise.withResolvers();
  }
  async function work(client: Client): Promise<void> {
    const request: Request = (perform) => inTurn(() => perform(client), pace, isOver);
    while (!isOver()) {
      if (line.length >= lanes.length * AHEAD) {
        await room.promise;
        continue;
      }
      const next = await iterator.next();
      if (next.done === true || isOver()) return;
      const place: (typeof line)[number] = { row: next.value };
      line.push(place);
      place.outcome = await send(next.value, request);
      advance();
    }
  }
  await Promise.all(
    lanes.map((client) =>
      work(client).catch((error: unknown) => {
        if (!(error instanceof Stopped)) failure ??= { error };
        room.resolve();
      }),
    ),
  );
  // Closes the file behind the rows.
  await iterator.return?.();
  if (failure) throw failure.error;
}

/** One request in its turn, again while the service is busy. A 429 costs no try: the limit says when it is over. */
export async function inTurn<T>(perform: () => Promise<Reply<T>>, pace: Pace, isOver: () => boolean): Promise<Reply<T>> {
  for (let tried = 1; ;) {
    if (!(await pace.enter()) || isOver()) throw new Stopped();
    try {
      const reply = await perform();
      pace.leave(reply.headers);
      return reply;
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) {
        pace.refused(error.retryAfterSeconds);
        continue;
      }
      pace.leave();
      if (!isPassing(error) || tried === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, BACKOFF_MS * 2 ** tried * Math.random()));
      tried += 1;
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS'
    : error instanceof Unreachable && error.afterSending;

/** Whether only this row is to blame, so that the others can go on. */
export const blamesTheRow = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 404, 409, 412, 413, 415].includes(error.status) && error.code !== 'IDEMPOTENCY_IN_PROGRESS';
