/** A stored reply of a write, returned again for the same Idempotency-Key. A-3. */
export interface IdempotencyRecord {
  /** `toReplyId(scope, idempotencyKey)`. */
  readonly id: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly location: string | null;
  /** Absent in replies that earlier releases stored. */
  readonly etag?: string | null;
  /** Without secrets that are shown only once. */
  readonly body: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}
