/** The HTTP server on this machine that receives deliveries, and forwarding to the receiver of the user. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { usageError } from '../errors/failure.ts';

export interface Receiver {
  /** URL of the server on this machine. */
  readonly url: string;
  /** Stops the server and closes all connections. */
  close(): void;
}

/** Handles a request with its body; returns the status of the response. */
export type RequestHandler = (request: IncomingMessage, body: Buffer) => Promise<number>;

/** Starts the server on `port`, or on a free port. Throws a usage error if the port is in use. */
export async function startReceiver(port: number | undefined, handle: RequestHandler): Promise<Receiver> {
  const server = process.getBuiltinModule('node:http').createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void handle(request, Buffer.concat(chunks))
        .catch(() => 500)
        .then((status) => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? usageError(`Port ${String(port)} is in use`, 'Choose another --port') : error),
    );
    server.listen(port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const FORWARD_TIMEOUT_MS = 14_000;
/** Headers of the connection, which the forwarded request sets itself. */
const HOP_BY_HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** Forwards a delivery; returns the status of the response, 0 without one. The response body is read and ignored, because some receivers require that. */
export function forward(url: string, { headers }: IncomingMessage, body: Buffer, signal: AbortSignal): Promise<number> {
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
        resolve(response.statusCode ?? 0);
      },
    );
    request.on('error', () => resolve(0));
    // The only event of a response that switches protocols (101).
    request.once('close', () => resolve(0));
    request.end(body);
  });
}
