/** Sends a request and returns the response. There are two transports: this one for the command line, undici for programs. */
import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { RESPONSE_MAX_BYTES } from '../../contract/limits.ts';
import { stripBrackets } from '../../platform/loopback.ts';
import { UnexpectedResponse, Unreachable } from '../errors.ts';

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** How long to wait without data; default: `IDLE_TIMEOUT_MS`. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the request; the promise is rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export type Transport = (request: HttpRequest) => Promise<HttpReply>;

/** A service by URL, or the admin API of a daemon by the path of its socket. */
export type Address = { readonly url: string } | { readonly socketPath: string };

/** Restricts the connections that are used. */
export interface ConnectionGuard {
  readonly agent: Agent;
  /** Called before the request is sent; false aborts it. */
  accepts(socket: Socket): boolean;
}

/** After this time without data, a connection is closed. */
export const IDLE_TIMEOUT_MS = 60_000;

/** Creates a transport with the HTTP client of Node, which is loaded by the first request: a static import would cost 30 ms of startup. */
export function createHttpTransport(address: Address, line?: ConnectionGuard, maxBytes: number = RESPONSE_MAX_BYTES): Transport {
  const base = 'url' in address ? new URL(address.url) : undefined;
  const label = 'url' in address ? address.url : address.socketPath;
  const prefix = base ? base.pathname.replace(/\/$/u, '') : '';
  const where: RequestOptions =
    'socketPath' in address
      ? { socketPath: address.socketPath }
      : { hostname: base && stripBrackets(base.hostname), ...(base?.port ? { port: Number(base.port) } : {}) };
  return (request) =>
    new Promise((resolve, reject) => {
      const http = base?.protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
      const { method, body, signal, timeoutMs = IDLE_TIMEOUT_MS } = request;
      const headers = body === undefined ? request.headers : { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
      let connected = false;
      const failed = (error: NodeJS.ErrnoException) =>
        reject(signal?.aborted ? (signal.reason as Error) : toUnreachable(label, error, connected));
      const options = {
        ...where,
        method,
        path: prefix + request.path,
        headers,
        signal,
        timeout: timeoutMs,
        ...(line && { agent: line.agent }),
      };
      const outgoing = http.request(options, (incoming) => read(incoming, { label, maxBytes, resolve, reject, failed }));
      outgoing.on('socket', (socket) => {
        if (line && !line.accepts(socket)) outgoing.destroy(new Error('the connection was not accepted'));
        else if (!socket.connecting) connected = true;
        else socket.once('connect', () => (connected = true));
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`timed out after ${String(timeoutMs / 1000)} s`)));
      outgoing.on('error', failed);
      outgoing.end(body);
    });
}

/** Whether a URL contains a user name or password. They are rejected, because URLs are printed in errors and settings. */
export function hasUserInfo(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Throws Unreachable if nothing listens at a URL. Sends nothing. */
export function checkListening(url: string): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), stripBrackets(hostname), () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', (error) => reject(toUnreachable(url, error, false)));
  });
}

interface Reading {
  readonly label: string;
  readonly maxBytes: number;
  readonly resolve: (reply: HttpReply) => void;
  readonly reject: (error: Error) => void;
  readonly failed: (error: Error) => void;
}

function read(incoming: IncomingMessage, { label, maxBytes, resolve, reject, failed }: Reading): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else {
      reject(createTooLargeError(label, maxBytes));
      incoming.destroy();
    }
  });
  incoming.on('error', failed);
  incoming.on('end', () => {
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    );
    resolve({ status: incoming.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString('utf8') });
  });
}

export const createTooLargeError = (label: string, maxBytes: number): UnexpectedResponse =>
  new UnexpectedResponse(label, `Unexpected response from ${label}: it is larger than ${String(maxBytes)} bytes`);

const CONNECTION_CLOSED = 'the connection was closed before a response arrived';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'no daemon is running',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the DNS lookup failed',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  EPROTO: 'TLS failed; the URL may have to start with http: instead',
  UND_ERR_SOCKET: CONNECTION_CLOSED,
  UND_ERR_CLOSED: 'the client was closed',
  UND_ERR_DESTROYED: 'the client was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: `timed out after ${String(IDLE_TIMEOUT_MS / 1000)} s`,
  UND_ERR_BODY_TIMEOUT: `the response stalled for ${String(IDLE_TIMEOUT_MS / 1000)} s`,
  EACCES: 'permission denied',
};

/** `connection refused` */
export const explainConnectionError = (error: NodeJS.ErrnoException): string =>
  REASONS[error.code ?? ''] ?? (error.message === '' ? String(error.code) : error.message);

/** Converts a network error of Node or undici. */
export function toUnreachable(label: string, error: NodeJS.ErrnoException, connected: boolean): Unreachable {
  const reason = explainConnectionError(error);
  return new Unreachable(label, `No response from ${label}: ${reason}`, { cause: error, afterSending: connected });
}
