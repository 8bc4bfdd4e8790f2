/** What can go wrong between a client and the service. */
import type { ErrorCode, FieldProblem } from '../contract/errors.ts';

/** The service refused: its error envelope, typed. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code of `contract/errors.ts`, or `HTTP_<status>` when the reply was no envelope of ours. */
  readonly code: ErrorCode | (string & {});
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Seconds of the Retry-After header. */
  readonly retryAfterSeconds: number | null;

  constructor(facts: Pick<ApiError, 'status' | 'code' | 'message' | 'requestId' | 'fields' | 'details' | 'retryAfterSeconds'>) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.fields = facts.fields;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** No usable answer came back: nobody listens, the connection broke, or something else than stockroom answered. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  /** The address that was tried: a URL or a socket path. */
  readonly address: string;
  /** The request may have been executed, because the connection broke after it was sent. */
  readonly afterSending: boolean;

  constructor(address: string, reason: string, options: { cause?: unknown; afterSending?: boolean } = {}) {
    super(reason, options.cause === undefined ? {} : { cause: options.cause });
    this.address = address;
    this.afterSending = options.afterSending ?? false;
  }
}

/** Something else than stockroom answered, with success: asking again will not help. */
export class Foreign extends Unreachable {}

/** Reads the envelope of a refusal; a foreign body (a proxy's page) keeps its status and says so. */
export function apiErrorOf(status: number, text: string, headers: Readonly<Record<string, string | undefined>>): ApiError {
  const retryAfterSeconds = secondsOf(headers['retry-after'], headers['date']);
  const requestId = headers['x-request-id'] ?? null;
  const error = envelopeOf(text);
  if (!error) {
    return new ApiError({
      status,
      code: `HTTP_${String(status)}`,
      message: `the answer was ${String(status)} without a reason that stockroom would give`,
      requestId,
      fields: null,
      details: null,
      retryAfterSeconds,
    });
  }
  return new ApiError({
    status,
    code: error.code,
    message: error.message ?? error.code,
    requestId: error.requestId ?? requestId,
    fields: error.fields ?? null,
    details: error.details ?? null,
    retryAfterSeconds,
  });
}

interface Envelope {
  readonly code: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly fields?: readonly FieldProblem[];
  readonly details?: Readonly<Record<string, unknown>>;
}

function envelopeOf(text: string): Envelope | null {
  try {
    const body = JSON.parse(text) as { error?: Partial<Envelope> } | null;
    return typeof body?.error?.code === 'string' ? (body.error as Envelope) : null;
  } catch {
    return null;
  }
}

const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u;

/** Whole seconds, as the service says it, or the date of a proxy before one elsewhere, by the clock that the answer went by. */
function secondsOf(header: string | undefined, date: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d+$/u.test(header)) return Number(header);
  if (!DATE.test(header)) return null;
  const now = date !== undefined && DATE.test(date) ? Date.parse(date) : Date.now();
  const seconds = Math.ceil((Date.parse(header) - now) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
