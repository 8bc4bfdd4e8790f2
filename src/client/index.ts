/// <reference lib="esnext.disposable" preserve="true" />
/** For programs: `import { stockroomClient } from 'stockroom/client'`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyOperation, OPERATIONS } from '../contract/index.ts';
import { DEFAULT_URL } from '../contract/places.ts';
import { type Reply, type SendOptions, type Trace, createClient } from './client.ts';
import { type Methods, methodsOf } from './methods.ts';
import type { ApiRequest } from './request.ts';
import type { Wait } from './retry.ts';
import { undiciTransport } from './undici.ts';

export type { AuditEvent } from '../contract/audit.ts';
export type { Contact } from '../contract/contacts.ts';
export type { ErrorCode, FieldProblem } from '../contract/errors.ts';
export type { Ingredient } from '../contract/ingredients.ts';
export type { Item } from '../contract/items.ts';
export type { OrderLine } from '../contract/order-lines.ts';
export type { Order, OrderDetail } from '../contract/orders.ts';
export type { StockDocument } from '../contract/stock-documents.ts';
export type { StockLevel } from '../contract/stock-levels.ts';
export type { StockLine } from '../contract/stock-lines.ts';
export type { SupplierLink } from '../contract/suppliers.ts';
export type { Delivery, Webhook } from '../contract/webhooks.ts';
export type { Reply, SendOptions, Trace } from './client.ts';
export { ApiError, Unreachable } from './errors.ts';
export type { ListRequest } from './list-request.ts';
export type { CallOptions } from './methods.ts';
export type { ApiRequest } from './request.ts';
export type { Wait } from './retry.ts';

export interface StockroomClientOptions {
  /** Address of the service. Default: `STOCKROOM_URL`, else a local service on its default port. */
  readonly url?: string | undefined;
  /** Default: `STOCKROOM_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The longest that all waits for one request may take together, in milliseconds; 0 never waits. Default: a whole rate window. */
  readonly maxWaitMs?: number | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Told before each wait for another try. */
  readonly onWait?: (wait: Wait) => void;
  /** Told of each exchange, also of those that are tried again. */
  readonly onTrace?: (trace: Trace) => void;
}

/** Every operation of `/v1` as a method, named as in `GET /v1`: `client.items.create({ name: 'Bolt' })`. */
export interface StockroomClient extends Methods<AnyOperation>, AsyncDisposable {
  /** Any other request; its reply with status and headers. Writes get an idempotency key, and it is tried again like everything else. */
  send(request: ApiRequest, options?: SendOptions): Promise<Reply>;
  /** Ends the open connections; what is under way is answered first. `await using` does it by itself. */
  close(): Promise<void>;
}

const MAX_WAIT_MS = 60_000;

/**
 * A client of the service. Writes carry an idempotency key and are tried again safely: after 429 and 503 when `Retry-After` says so, else
 * and after a broken connection with growing pauses, three times in all. A refusal is thrown as `ApiError` with its code and request id.
 */
export function stockroomClient(options: StockroomClientOptions = {}): StockroomClient {
  const url = options.url ?? process.env['STOCKROOM_URL'] ?? DEFAULT_URL;
  const transport = undiciTransport(url);
  const { headers, onTrace, maxWaitMs = MAX_WAIT_MS } = options;
  const client = createClient({
    transport: transport.send,
    key: options.apiKey ?? process.env['STOCKROOM_API_KEY'],
    retry: {
      maxWaitMs,
      async wait(wait, signal) {
        options.onWait?.(wait);
        await pause(wait.milliseconds, signal);
      },
    },
    ...(headers && { headers }),
    ...(onTrace && { onTrace }),
  });
  return {
    ...methodsOf(client, OPERATIONS),
    send: client.send,
    close: transport.close,
    [Symbol.asyncDispose]: transport.close,
  };
}

/** Throws the reason of the signal itself: whoever aborts with an error of their own gets it back. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
