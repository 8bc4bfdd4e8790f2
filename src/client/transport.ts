/** Carries one request to the service and one answer back. Two carriers fit behind it: this one for the terminal, undici for programs. */
import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { Unreachable } from './errors.ts';

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Gives the request up; the promise is rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export type Transport = (request: HttpRequest) => Promise<HttpReply>;

/** A service by URL, or the admin plane of a daemon by the path of its socket. */
export type Address = { readonly url: string } | { readonly socketPath: string };

/** Connections that a caller keeps an eye on. */
export interface Line {
  readonly agent: Agent;
  /** Called before a byte of the request is sent; false ends the request. */
  accepts(socket: Socket): boolean;
}

/** Nothing came for so long: the connection is given up. */
export const SILENCE_MS = 60_000;

/** Over the built-in client, loaded when the first request is made: a static import of node:http costs the terminal 30 ms. */
export function builtInTransport(address: Address, line?: Line): Transport {
  const base = 'url' in address ? new URL(address.url) : undefined;
  const label = 'url' in address ? address.url : address.socketPath;
  const prefix = base ? base.pathname.replace(/\/$/u, '') : '';
  const where: RequestOptions =
    'socketPath' in address
      ? { socketPath: address.socketPath }
      : { hostname: base?.hostname.replace(/^\[(.*)\]$/u, '$1'), ...(base?.port ? { port: Number(base.port) } : {}) };
  return (request) =>
    new Promise((resolve, reject) => {
      const http = base?.protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
      const { method, body, signal } = request;
      const headers = body === undefined ? request.headers : { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
      let connected = false;
      const failed = (error: NodeJS.ErrnoException) =>
        reject(signal?.aborted ? (signal.reason as Error) : unreachable(label, error, connected));
      const options = {
        ...where,
        method,
        path: prefix + request.path,
        headers,
        signal,
        timeout: SILENCE_MS,
        ...(line && { agent: line.agent }),
      };
      const outgoing = http.request(options, (incoming) => read(incoming, resolve, failed));
      outgoing.on('socket', (socket) => {
        if (line && !line.accepts(socket)) outgoing.destroy(new Error('the connection is another one'));
        else if (!socket.connecting) connected = true;
        else socket.once('connect', () => (connected = true));
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer for ${String(SILENCE_MS / 1000)} s`)));
      outgoing.on('error', failed);
      outgoing.end(body);
    });
}

function read(incoming: IncomingMessage, resolve: (reply: HttpReply) => void, failed: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('error', failed);
  incoming.on('end', () => {
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    );
    resolve({ status: incoming.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString('utf8') });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening',
  ENOENT: 'no daemon is running',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'no connection within the time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  EPROTO: 'TLS failed; perhaps the address begins with http: instead',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  UND_ERR_CLOSED: 'the client was closed',
  UND_ERR_DESTROYED: 'the client was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time',
  UND_ERR_HEADERS_TIMEOUT: `no answer for ${String(SILENCE_MS / 1000)} s`,
  UND_ERR_BODY_TIMEOUT: `the answer stopped for ${String(SILENCE_MS / 1000)} s`,
  EACCES: 'this user may not open it',
};

/** The reason in words, whichever library gave it. */
export function unreachable(label: string, error: NodeJS.ErrnoException, connected: boolean): Unreachable {
  const reason = REASONS[error.code ?? ''] ?? (error.message === '' ? String(error.code) : error.message);
  return new Unreachable(label, `no answer from ${label}: ${reason}`, { cause: error, afterSending: connected });
}
