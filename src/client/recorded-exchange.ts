import type { HttpReply } from './transport/transport.ts';

/** A recorded request, and its reply. */
export interface RecordedExchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Of the request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Undefined if the reply was lost. */
  readonly expected: HttpReply | undefined;
  /** Whether bodies were cut when they were recorded. */
  readonly isTruncated: boolean;
}
