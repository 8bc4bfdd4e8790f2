/** Reads from the service that a pull copies, within its rate limit. */
import { type Client, createClient } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { iterateBatches } from '../../client/lists/batches.ts';
import { iteratePages, readAllRows } from '../../client/lists/pages.ts';
import type { LooseParts } from '../../client/request.ts';
import { createHttpTransport } from '../../client/transport/transport.ts';
import type { Operation } from '../../contract/operation.ts';
import type { RateLimiter } from '../bulk/rate-limiter.ts';
import { withRateLimit } from '../bulk/send.ts';
import { readWholeOrders } from '../records/order-with-lines.ts';

/** A record as received, which may have fields that this version does not know. */
export interface SourceRecord {
  readonly id: string;
  readonly name?: string;
  readonly orderNumber?: string;
  readonly updatedAt?: string;
  readonly [field: string]: unknown;
}

export type SourceReader = ReturnType<typeof createSourceReader>;

export function openSource(url: string, key: string, limiter: RateLimiter, signal: AbortSignal): SourceReader {
  const client = createClient({ transport: createHttpTransport({ url }), key });
  return createSourceReader(withRateLimit(client, limiter, () => signal.aborted));
}

/** Creates a reader of any service. */
export function createSourceReader(client: Client) {
  async function* readPages(op: Operation, parts: LooseParts = {}): AsyncGenerator<{ rows: readonly SourceRecord[]; total: number }> {
    let hasRows = false;
    try {
      for await (const { rows, total } of iterateBatches(client, op, parts, null)) {
        hasRows = true;
        yield { rows: rows as readonly SourceRecord[], total };
      }
    } catch (error) {
      // Sorting is an extension of the API: a service without it is read in its own order.
      if (hasRows || !(error instanceof ApiError) || error.status !== 400) throw error;
      for await (const { data, pagination } of iteratePages(client, op, parts))
        yield { rows: data as readonly SourceRecord[], total: pagination.total };
    }
  }
  return {
    /** Reads one record, which every operation that is read this way returns under `data`. */
    getOne: async (op: Operation, parts?: LooseParts) => ((await client.perform(op, parts)).body as unknown as { data: SourceRecord }).data,
    /** Reads a list page by page. */
    iteratePages: readPages,
    /** Reads all rows of a short list. */
    getAll: (op: Operation, parts: LooseParts = {}) => readAllRows<SourceRecord>(client, op, parts),
    /** Reads orders with all fields and lines. Those that are gone are left out. */
    getWholeOrders: async (ids: readonly string[]): Promise<readonly SourceRecord[]> => readWholeOrders(client, ids),
  };
}
