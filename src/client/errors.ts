/** Errors of the client. */
import type { ErrorCode, FieldProblem } from '../contract/errors.ts';

/** An error response of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code of `contract/errors.ts`, or `HTTP_<status>` if the body has not the form of an error. */
  readonly code: ErrorCode | (string & {});
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** Seconds of the Retry-After header. */
  readonly retryAfterSeconds: number | null;

  constructor(properties: Pick<ApiError, 'status' | 'code' | 'message' | 'requestId' | 'fields' | 'details' | 'retryAfterSeconds'>) {
    super(properties.message);
    this.status = properties.status;
    this.code = properties.code;
    this.requestId = properties.requestId;
    this.fields = properties.fields;
    this.details = properties.details;
    this.retryAfterSeconds = properties.retryAfterSeconds;
  }
}

/** Whether a service has rejected a request for nothing but these parameters or fields, as one without the extensions of stockroom does. */
export function isUnsupported(thrown: unknown, names: readonly string[]): boolean {
  const fields = (thrown instanceof ApiError ? thrown.fields : null) ?? [];
  return fields.length > 0 && fields.every(({ path }) => names.includes(path.slice(1)));
}

/** There was no usable response: connection refused or lost, or the response is not from stockroom. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  /** The URL or socket path. */
  readonly address: string;
  /** Whether the request may have been executed, because the connection was lost after it was sent. */
  readonly afterSending: boolean;

  constructor(address: string, reason: string, options: { cause?: unknown; afterSending?: boolean } = {}) {
    super(reason, options.cause === undefined ? {} : { cause: options.cause });
    this.address = address;
    this.afterSending = options.afterSending ?? false;
  }
}

/** A successful response that is not from stockroom. Retrying does not help. */
export class UnexpectedResponse extends Unreachable {}

/** A response of the service that lacks what the contract promises. */
export const createMalformedResponse = (path: string, problem: string, method = 'GET'): UnexpectedResponse =>
  new UnexpectedResponse(path, `Unexpected response from the service to ${method} ${path}: ${problem}`);

/** Whether the service, or a proxy in front of it, does not respond as usual for now: followers wait until it does. */
export const isOutage = (thrown: unknown): boolean =>
  (thrown instanceof Unreachable && !(thrown instanceof UnexpectedResponse)) ||
  (thrown instanceof ApiError && (thrown.status >= 500 || thrown.status === 429));

/** Converts an error response. A body without the form of an error (a page of a proxy) gets the code `HTTP_<status>`. */
export function toApiError(status: number, text: string, headers: Readonly<Record<string, string | undefined>>): ApiError {
  const retryAfterSeconds = parseRetryAfter(headers['retry-after'], headers['date']);
  const error = parseEnvelope(text) ?? {
    code: `HTTP_${String(status)}`,
    message: `Unexpected response with status ${String(status)}, which is not from stockroom`,
  };
  return new ApiError({
    status,
    code: error.code,
    message: error.message ?? error.code,
    requestId: error.requestId ?? headers['x-request-id'] ?? null,
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

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const body = JSON.parse(text) as { error?: Partial<Envelope> } | null;
    return typeof body?.error?.code === 'string' ? (body.error as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u;

/** Parses Retry-After: seconds, or a date (from proxies) relative to the Date header. */
function parseRetryAfter(header: string | undefined, date: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d+$/u.test(header)) return Number(header);
  if (!DATE.test(header)) return null;
  const now = date !== undefined && DATE.test(date) ? Date.parse(date) : Date.now();
  const seconds = Math.ceil((Date.parse(header) - now) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
