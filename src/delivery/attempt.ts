/** One HTTP request to an endpoint, from its start to its outcome. */
import type { Dispatcher } from 'undici';
import { DELIVERY_RESPONSE_MAX_BYTES } from '../contract/limits.ts';
import type { DeliveryError } from '../contract/resources/webhooks.ts';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import { toDeliveryError, toStatusError } from './delivery-errors.ts';
import { ResponseCapture } from './response-capture.ts';

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  /** Time of the service's clock: the signed timestamp, and the reference for a date in `Retry-After`. */
  readonly startedAt: Date;
}

const ABORTED = new Error('the attempt was aborted');

/** A handler of undici's low-level API: the stream and the signal of `request` would cost more than the rest of an attempt. */
export class Attempt implements Dispatcher.DispatchHandler {
  /** Its place among the attempts in progress. */
  index = 0;
  readonly #startedAt: Date;
  readonly #onOutcome: (outcome: AttemptOutcome) => void;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #httpStatus: number | null = null;
  #connectedMs: number | null = null;
  #answeredMs: number | null = null;
  #retryAfter: string | string[] | undefined;
  #capture: ResponseCapture | undefined;
  #bytes = 0;
  #isSettled = false;

  /** Calls `onOutcome` once. */
  constructor({ startedAt, timeoutMs }: DeliveryRequest, onOutcome: (outcome: AttemptOutcome) => void) {
    this.#startedAt = startedAt;
    this.#onOutcome = onOutcome;
    this.#timer = setTimeout(() => this.abort(), timeoutMs);
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  abort(): void {
    this.fail('timeout');
    this.#controller?.abort(ABORTED);
  }

  /** Once there is a status it decides the outcome, even if the rest of the response fails. */
  fail(error: DeliveryError): void {
    this.#settle(this.#httpStatus === null ? error : toStatusError(this.#httpStatus));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connectedMs = this.#getElapsed();
    if (this.#isSettled) controller.abort(ABORTED);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#httpStatus = status;
    this.#answeredMs = this.#getElapsed();
    this.#retryAfter = headers['retry-after'];
    // Only failures are recorded, so that a success costs nothing.
    if (toStatusError(status) !== null) this.#capture = new ResponseCapture(headers);
  }

  /** The body is read, up to a limit, so that the connection can be used again. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#capture?.add(chunk);
    if (this.#bytes <= DELIVERY_RESPONSE_MAX_BYTES) return;
    this.fail('response_too_large');
    controller.abort(ABORTED);
  }

  onResponseEnd(): void {
    this.fail('connection_reset');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(toDeliveryError(error));
  }

  #getElapsed(): number {
    return Math.round(performance.now() - this.#startedMs);
  }

  #settle(error: DeliveryError | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    const [startedAt, httpStatus] = [this.#startedAt, this.#httpStatus];
    this.#onOutcome({
      startedAt,
      milliseconds: this.#getElapsed(),
      timing: { connected: this.#connectedMs, answered: this.#answeredMs },
      httpStatus,
      error,
      retryAfterSeconds: httpStatus !== null && httpStatus > 299 ? parseRetryAfter(this.#retryAfter, startedAt) : null,
      ...(this.#capture && { response: this.#capture.getResponse() }),
    });
  }
}

/** Seconds to wait, from a number of seconds or a date (RFC 9110 §10.2.3). */
function parseRetryAfter(header: string | string[] | undefined, now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d+$/u.test(text)) return Number(text);
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : Math.max(0, Math.ceil((time - now.getTime()) / 1_000));
}
