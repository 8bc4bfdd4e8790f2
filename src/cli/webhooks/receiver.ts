/** The HTTP server on this machine that receives deliveries, and forwarding to the receiver of the user. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REQUEST_HEADER_TIMEOUT_S } from '../../contract/limits.ts';
import { explainConnectionError } from '../../client/transport/transport.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import { readDeliveryBody } from '../../webhook-verifier/delivery-body.ts';
import { usageError } from '../errors/failure.ts';

export interface ReceiverOptions {
  /** Undefined: a free port. */
  readonly port: number | undefined;
  /** The URL of a tunnel to the port: instead of the URL of the server, and its host is accepted, too. */
  readonly publicUrl: string | undefined;
}

const FORBIDDEN = 403;
const TOO_LARGE = 413;

/**
 * Starts the server and returns its URL. Throws a usage error if the port is in use. Requests of web pages (DNS rebinding included) and bodies
 * larger than a delivery are rejected before `handle` sees them; it verifies the signature, and returns the status of the response.
 */
export async function startReceiver(
  { port, publicUrl }: ReceiverOptions,
  handle: (request: IncomingMessage, body: Buffer) => Promise<number>,
) {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const answer = async (request: IncomingMessage): Promise<number> => {
    if (isForeign(request, publicHost)) return FORBIDDEN;
    const body = await readDeliveryBody(request);
    return body === undefined ? TOO_LARGE : handle(request, body);
  };
  const timeoutMs = REQUEST_HEADER_TIMEOUT_S * 1_000;
  const options = { headersTimeout: timeoutMs, requestTimeout: timeoutMs };
  const server = process.getBuiltinModule('node:http').createServer(options, (request, response) => {
    void answer(request)
      .catch(() => 500)
      .then((status) => reply(response, status));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? usageError(`Port ${String(port)} is in use`, 'Choose another --port') : error),
    );
    server.listen(port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    /** Stops the server and closes all connections. */
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Browsers send `Origin` with every request of another site; programs do not. */
function isForeign({ headers }: IncomingMessage, publicHost: string | undefined): boolean {
  const host = headers.host ?? '';
  return headers.origin !== undefined || !(isLoopbackHost(host.replace(/:\d+$/u, '')) || host.toLowerCase() === publicHost);
}

function reply(response: ServerResponse, status: number): void {
  // The rest of a request that was rejected early is not read.
  if (status === FORBIDDEN || status === TOO_LARGE) response.setHeader('connection', 'close');
  response.writeHead(status).end();
}

const FORWARD_TIMEOUT_MS = 14_000;
/** Headers of the connection, which the forwarded request sets itself. */
const HOP_BY_HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** The response of a receiver: its status, or 0 and why there was none. */
export interface Forwarded {
  readonly status: number;
  readonly error: string | null;
}

/** Forwards a delivery with its headers. The response body is read and ignored, because some receivers require that. */
export function forward(url: string, headers: IncomingMessage['headers'], body: Buffer, signal: AbortSignal): Promise<Forwarded> {
  const http = url.startsWith('https:') ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const forwarded = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name)));
  return new Promise((resolve) => {
    const request = http.request(
      url,
      {
        method: 'POST',
        headers: { ...forwarded, 'content-length': body.length },
        signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
      },
      (response) => {
        response.on('error', () => undefined).resume();
        resolve({ status: response.statusCode ?? 0, error: null });
      },
    );
    const fail = (error: string) => resolve({ status: 0, error });
    request.on('error', (error) =>
      fail(error.name === 'TimeoutError' ? `no response within ${String(FORWARD_TIMEOUT_MS / 1_000)} s` : explainConnectionError(error)),
    );
    // The only event of a response that switches protocols (101).
    request.once('close', () => fail('no HTTP response'));
    request.end(body);
  });
}
