/** The service that is copied from: every request keeps to its rate limit, and only reads. */
import { type Client, createClient } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { pagesOf, stretchesOf } from '../../client/pages.ts';
import type { LooseParts } from '../../client/request.ts';
import { builtInTransport } from '../../client/transport.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Pace } from '../bulk/pace.ts';
import { inTurn } from '../bulk/send.ts';

/** A record as it came: fields that this version does not know are left alone. */
export interface Rec {
  readonly id: string;
  readonly name?: string;
  readonly orderNumber?: string;
  readonly updatedAt?: string;
  readonly [field: string]: unknown;
}

export interface Origin {
  /** The body below `data`. */
  one(op: Operation, parts?: LooseParts): Promise<Rec>;
  /** Every row of a list, page by page. */
  pages(op: Operation, parts?: LooseParts): AsyncGenerator<{ rows: readonly Rec[]; total: number }>;
  /** Every row of a short list. */
  all(op: Operation, parts?: LooseParts): Promise<readonly Rec[]>;
}

export function openOrigin(url: string, key: string, pace: Pace, signal: AbortSignal): Origin {
  const client = createClient({ transport: builtInTransport({ url }), key, retry: { maxWaitMs: 0, wait: () => Promise.resolve() } });
  return originOf(paced(client, pace, () => signal.aborted));
}

/** The same questions to any service. */
export function originOf(client: Client): Origin {
  async function* pages(op: Operation, parts: LooseParts = {}): AsyncGenerator<{ rows: readonly Rec[]; total: number }> {
    let begun = false;
    try {
      for await (const { rows, total } of stretchesOf(client, op, parts, null)) {
        begun = true;
        yield { rows: rows as readonly Rec[], total };
      }
    } catch (error) {
      // Sorting is ours: a service that refuses it gives its rows in its own order.
      if (begun || !(error instanceof ApiError) || error.status !== 400) throw error;
      for await (const { data, pagination } of pagesOf(client, op, parts)) yield { rows: data as readonly Rec[], total: pagination.total };
    }
  }
  return {
    // Whatever the operation, one record lies under `data`; here it is only read by the names that all of them have.
    one: async (op, parts) => ((await client.perform(op, parts)).body as unknown as { data: Rec }).data,
    pages,
    async all(op, parts = {}) {
      const rows: unknown[] = [];
      for await (const { data } of pagesOf(client, op, parts)) rows.push(...data);
      return rows as readonly Rec[];
    },
  };
}

const paced = (client: Client, pace: Pace, isOver: () => boolean): Client => ({
  send: (request, options) => inTurn(() => client.send(request, options), pace, isOver),
  perform: (op, parts, options) => inTurn(() => client.perform(op, parts, options), pace, isOver),
  call: (op, parts, options) => inTurn(() => client.call(op, parts, options), pace, isOver),
});
