/// <reference lib="esnext.disposable" preserve="true" />
/** For programs: `import { stockroomClient } from 'stockroom/client'`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyOperation, OPERATIONS } from '../contract/index.ts';
import { RESPONSE_MAX_BYTES } from '../contract/limits.ts';
import type { StrictOperation } from '../contract/strict.ts';
import { DEFAULT_URL } from '../platform/local-paths.ts';
import { type Reply, type SendOptions, type Trace, createClient } from './client.ts';
import { type Methods, createMethods } from './methods.ts';
import type { ApiRequest } from './request.ts';
import type { Wait } from './transport/retry.ts';
import { createUndiciTransport } from './transport/undici-transport.ts';

export type { AuditEvent } from '../contract/resources/audit.ts';
export type { Contact } from '../contract/resources/contacts.ts';
export type { ErrorCode, FieldProblem } from '../contract/errors.ts';
export type { Ingredient } from '../contract/resources/ingredients.ts';
export type { Item } from '../contract/resources/items.ts';
export type { OrderLine } from '../contract/resources/order-lines.ts';
export type { Order, OrderDetail } from '../contract/resources/orders.ts';
export type { StockDocument } from '../contract/resources/stock-documents.ts';
export type { StockLevel } from '../contract/resources/stock-levels.ts';
export type { StockLine } from '../contract/resources/stock-lines.ts';
export type { SupplierLink } from '../contract/resources/suppliers.ts';
export type { Delivery, Webhook } from '../contract/resources/webhooks.ts';
export type { Reply, SendOptions, Trace } from './client.ts';
export { ApiError, Unreachable } from './errors.ts';
export type { ListRequest } from './lists/list-request.ts';
export type { CallOptions } from './methods.ts';
export type { ApiRequest } from './request.ts';
export type { Wait } from './transport/retry.ts';

export interface StockroomClientOptions {
  /** URL of the service. Default: `STOCKROOM_URL`, else a local service on its default port. */
  readonly url?: string | undefined;
  /** Default: `STOCKROOM_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** Maximum total wait for the retries of one request, in milliseconds; 0 disables retries. Default: the length of a rate window. */
  readonly maxWaitMs?: number | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Size of the largest response that is read, in bytes. Default: 64 MiB. A larger one is rejected with `Unreachable`. */
  readonly maxResponseBytes?: number | undefined;
  /** Called before each wait for a retry. */
  readonly onWait?: (wait: Wait) => void;
  /** Called after each request, including retries. */
  readonly onTrace?: (trace: Trace) => void;
}

interface Connection extends AsyncDisposable {
  /** Sends any other request and returns the response with status and headers. Idempotency keys and retries work as for the methods. */
  send(request: ApiRequest, options?: SendOptions): Promise<Reply>;
  /** Closes the connections after pending requests have finished. `await using` calls it automatically. */
  close(): Promise<void>;
}

/** Every operation of `/v1` as a method, named as in `GET /v1`: `client.items.create({ name: 'Bolt' })`. */
export interface StockroomClient extends Methods<AnyOperation>, Connection {}

/** The same without extensions: operations, parameters, fields and values. */
export interface StrictStockroomClient extends Methods<StrictOperation<AnyOperation>>, Connection {}

type Contract = 'extended' | 'strict';
type ClientOf<C extends Contract> = C extends 'strict' ? StrictStockroomClient : StockroomClient;

const MAX_WAIT_MS = 60_000;

/**
 * Creates a client of the service. Requests are tried up to three times: after 429 and 503 as `Retry-After` says, otherwise and after a
 * lost connection with exponential backoff. An idempotency key makes it safe to retry writes. Error responses are thrown as `ApiError`
 * with code and request id. The types of `stockroomClient<'strict'>()` have no extensions: what compiles with them works with every service
 * that keeps the contract.
 */
export function stockroomClient<C extends Contract = 'extended'>(options: StockroomClientOptions = {}): ClientOf<C> {
  const url = options.url ?? process.env['STOCKROOM_URL'] ?? DEFAULT_URL;
  const transport = createUndiciTransport(url, options.maxResponseBytes ?? RESPONSE_MAX_BYTES);
  const { headers, onTrace, maxWaitMs = MAX_WAIT_MS } = options;
  const client = createClient({
    transport: transport.send,
    key: options.apiKey ?? process.env['STOCKROOM_API_KEY'],
    retry: {
      maxWaitMs,
      async wait(wait, signal) {
        options.onWait?.(wait);
        await sleepUnlessAborted(wait.milliseconds, signal);
      },
    },
    ...(headers && { headers }),
    ...(onTrace && { onTrace }),
  });
  const methods: StockroomClient = {
    ...createMethods(client, OPERATIONS),
    send: client.send,
    close: transport.close,
    [Symbol.asyncDispose]: transport.close,
  };
  // Types alone leave extensions out.
  return methods as ClientOf<C>;
}

/** Sleeps; throws the reason of the signal if it aborts, not the AbortError of the timer. */
async function sleepUnlessAborted(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
