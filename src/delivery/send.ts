/** One POST to a receiver: what came of it, as data. Never follows a redirect, never keeps what the receiver says. decisions-api §1.3, §1.4. */
import { Agent } from 'undici';
import { DELIVERIES_AT_ONCE_PER_ENDPOINT, DELIVERY_RESPONSE_MAX_BYTES } from '../contract/limits.ts';
import type { DeliveryError } from '../contract/webhooks.ts';
import type { Outcome } from '../domain/deliveries.ts';
import type { Clock } from '../domain/ports.ts';
import type { TargetPolicy } from '../domain/targets.ts';
import { type Resolve, TargetBlocked, guardedConnector } from './target.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface Sender {
  /** Undefined: given up because the sender was closed; nobody knows what the receiver did. */
  send(post: Post): Promise<Outcome | undefined>;
  /** Gives up what is under way. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 4_000;

export interface SenderOptions {
  readonly clock: Clock;
  readonly targets: TargetPolicy;
  /** For tests: instead of DNS. */
  readonly resolve?: Resolve;
}

export function createSender({ clock, targets, resolve }: SenderOptions): Sender {
  const agent = new Agent({
    connect: guardedConnector(targets, resolve),
    connections: DELIVERIES_AT_ONCE_PER_ENDPOINT,
    // One request at a time on each connection.
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // The exact total is ours; undici's own timers are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const running = new Set<AbortController>();
  let closed = false;
  return {
    async send({ url, headers, body, timeoutMs }) {
      if (closed) return undefined;
      const startedAt = clock.now();
      const began = performance.now();
      const end = new AbortController();
      running.add(end);
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        end.abort();
      }, timeoutMs);
      const outcome = (httpStatus: number | null, error: DeliveryError | null, retryAfterSeconds: number | null = null): Outcome => ({
        startedAt,
        milliseconds: Math.round(performance.now() - began),
        httpStatus,
        error,
        retryAfterSeconds,
      });
      try {
        const { origin, pathname, search } = new URL(url);
        const response = await agent.request({ origin, path: pathname + search, method: 'POST', headers, body, signal: end.signal });
        const { statusCode } = response;
        // The status decides; the rest is read so that the connection can be used again, and cut off when it is too much or too slow.
        await response.body.dump({ limit: DELIVERY_RESPONSE_MAX_BYTES, signal: end.signal }).catch(() => undefined);
        const wait = statusCode > 299 ? retryAfterOf(response.headers['retry-after'], startedAt) : null;
        return outcome(statusCode, errorOfStatus(statusCode), wait);
      } catch (error) {
        if (closed) return undefined;
        return outcome(null, timedOut ? 'timeout' : errorOfFailure(error));
      } finally {
        clearTimeout(timer);
        running.delete(end);
      }
    },
    async close() {
      closed = true;
      for (const end of running) end.abort();
      await agent.destroy();
    },
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
