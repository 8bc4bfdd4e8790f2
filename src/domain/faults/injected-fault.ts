/** What a fault does to a request or a delivery. */
import type { FaultDrop } from '../../contract/admin/faults.ts';

export interface FaultRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** The combined effect of all triggered faults on one request or delivery. */
export interface InjectedFault {
  readonly latencyMs: number;
  readonly status: number | null;
  readonly retryAfter: number | null;
  readonly drop: FaultDrop | null;
  /** Of the response, instead of an error of the API. */
  readonly body: string | null;
  /** Between the two halves of a response. */
  readonly slowBodyMs: number;
  /** Runs first. It may change the key of the request, which is checked again. */
  readonly before?: () => Promise<void>;
  /** A delivery waits until the next one to its URL was sent. */
  readonly waitsForNext?: boolean;
}
