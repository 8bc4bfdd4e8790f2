/** Stored rows of the kernel. */

/** A gapless counter of the tenant; its id is the name. */
export interface CounterRecord {
  readonly id: string;
  readonly value: number;
}

/** A stored reply of a write, returned again for the same Idempotency-Key. A-3. */
export interface IdempotencyRecord {
  /** `toReplyId(apiKeyId, idempotencyKey)`. */
  readonly id: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly location: string | null;
  /** Without secrets that are shown only once. */
  readonly body: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}
