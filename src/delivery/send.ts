/** One POST to a receiver: what came of it, as data. Never follows a redirect, never keeps what the receiver says. decisions-api §1.3, §1.4. */
import type { Agent, Dispatcher } from 'undici';
import { DELIVERY_RESPONSE_MAX_BYTES } from '../contract/limits.ts';
import type { DeliveryError } from '../contract/webhooks.ts';
import type { Outcome } from '../domain/deliveries.ts';
import type { TargetPolicy } from '../domain/targets.ts';
import { type Resolve, TargetBlocked, guardedConnector } from './target.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  /** By the clock of the service: what was signed, and what dates of the answer are counted from. */
  readonly startedAt: Date;
}

export interface Sender {
  /** Undefined: given up because the sender was closed; nobody knows what the receiver did. */
  send(post: Post): Promise<Outcome | undefined>;
  /** Gives up what is under way. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 4_000;

export interface SenderOptions {
  readonly targets: TargetPolicy;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
}

export function createSender({ targets, resolve }: SenderOptions): Sender {
  let agent: Agent | undefined;
  /** When something is first sent: loading undici takes a start longer than all else of the deliveries. */
  const openAgent = async (): Promise<Agent> => {
    const undici = await import('undici');
    return (agent ??= new undici.Agent({
      connect: guardedConnector(undici.buildConnector, targets, resolve),
      // As many as there are requests, one at a time on each: undici counts by host, and endpoints of one host must not wait for each other.
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The exact total is ours; undici's own timers are coarse.
      headersTimeout: 0,
      bodyTimeout: 0,
    }));
  };
  const running = new Running();
  const targetOf = rememberedTargets();
  let closed = false;
  return {
    send: ({ url, headers, body, timeoutMs, startedAt }) =>
      new Promise((tell) => {
        if (closed) {
          tell(undefined);
          return;
        }
        const began = performance.now();
        let httpStatus: number | null = null;
        let retryAfter: string | string[] | undefined;
        let bytes = 0;
        let stop: ((reason: Error) => void) | undefined;
        let settled = false;
        const settle = (error: DeliveryError | null): void => {
          if (settled) return;
          settled = true;
          clearTimeout(timer);
          running.remove(attempt);
          const retryAfterSeconds = httpStatus !== null && httpStatus > 299 ? retryAfterOf(retryAfter, startedAt) : null;
          const milliseconds = Math.round(performance.now() - began);
          tell(closed && httpStatus === null ? undefined : { startedAt, milliseconds, httpStatus, error, retryAfterSeconds });
        };
        // Once there is a status it decides, whatever becomes of the rest of the answer.
        const end = (error: DeliveryError): void => settle(httpStatus === null ? error : errorOfStatus(httpStatus));
        const giveUp = (): void => {
          end('timeout');
          stop?.(GIVEN_UP);
        };
        const timer = setTimeout(giveUp, timeoutMs);
        const attempt = running.add(giveUp);
        // Below `request` of undici: no stream, no signal, which would cost more than the rest of an attempt.
        const handler: Dispatcher.DispatchHandler = {
          onRequestStart(controller) {
            stop = (reason) => controller.abort(reason);
            if (settled) stop(GIVEN_UP);
          },
          onResponseStart(_controller, statusCode, answered) {
            if (statusCode < 200) return;
            httpStatus = statusCode;
            retryAfter = answered['retry-after'];
          },
          // Read so that the connection can be used again, and cut off when it is too much.
          onResponseData(controller, chunk) {
            bytes += chunk.length;
            if (bytes <= DELIVERY_RESPONSE_MAX_BYTES) return;
            end('response_too_large');
            controller.abort(GIVEN_UP);
          },
          onResponseEnd: () => end('connection_reset'),
          onResponseError: (_controller, error) => end(errorOfFailure(error)),
        };
        const dispatch = (by: Agent): void => {
          // Meanwhile the sender was closed, or the time was up.
          if (settled) return;
          try {
            by.dispatch({ ...targetOf(url), method: 'POST', headers, body }, handler);
          } catch (error) {
            end(errorOfFailure(error));
          }
        };
        if (agent) dispatch(agent);
        else openAgent().then(dispatch, (error: unknown) => end(errorOfFailure(error)));
      }),
    async close() {
      closed = true;
      running.giveUp();
      await agent?.destroy();
    },
  };
}

interface Attempt {
  readonly giveUp: () => void;
  at: number;
}

/**
 * The attempts under way. Not a set: one that changes all the time leaves tables behind, each of which knows the next, and once one of them has
 * grown old the collector keeps all that follow, with every attempt in them, until it looks through the whole heap.
 */
class Running {
  readonly #attempts: Attempt[] = [];

  add(giveUp: () => void): Attempt {
    const attempt = { giveUp, at: this.#attempts.length };
    this.#attempts.push(attempt);
    return attempt;
  }

  /** The last one takes its place. */
  remove(attempt: Attempt): void {
    const last = this.#attempts.pop();
    if (last === undefined || last === attempt) return;
    last.at = attempt.at;
    this.#attempts[attempt.at] = last;
  }

  giveUp(): void {
    // Each leaves as it is given up.
    for (const { giveUp } of this.#attempts.slice()) giveUp();
  }
}

const GIVEN_UP = new Error('the attempt was given up');
const TARGETS_MAX = 1_000;

/** The parts of an address; taken apart once, because an endpoint is sent to again and again. */
function rememberedTargets(): (url: string) => { origin: string; path: string } {
  const known = new Map<string, { origin: string; path: string }>();
  return (url) => {
    let target = known.get(url);
    if (!target) {
      const { origin, pathname, search } = new URL(url);
      target = { origin, path: pathname + search };
      if (known.size >= TARGETS_MAX) known.clear();
      known.set(url, target);
    }
    return target;
  };
}

export function errorOfStatus(status: number): DeliveryError | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return 'redirect_not_followed';
  return status === 410 ? 'endpoint_gone' : `http_${status}`;
}

/** Seconds to wait, from seconds or a date (RFC 9110 §10.2.3). */
function retryAfterOf(header: string | string[] | undefined, now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d+$/u.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

function errorOfFailure(error: unknown): DeliveryError {
  if (error instanceof TargetBlocked) return 'target_blocked';
  const codes = codesOf(error);
  const any = (...wanted: readonly string[]): boolean => codes.some((code) => wanted.includes(code));
  if (any('ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES')) return 'connection_refused';
  if (any('ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA')) return 'dns_not_found';
  if (any('UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT')) return 'timeout';
  if (any('UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW')) return 'response_too_large';
  if (codes.some((code) => TLS.test(code))) return 'tls_error';
  return 'connection_reset';
}

const TLS = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/u;

/** Codes of an error, of its cause, and of the errors that it gathers. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, cause } = error as NodeJS.ErrnoException;
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [...(typeof code === 'string' ? [code] : []), ...[cause, ...inner].flatMap(codesOf)];
}
