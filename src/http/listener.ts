/**
 * The HTTP server of Node below hapi: how many connections it accepts, and how long it waits for a request. A process that was paused
 * (SIGSTOP, a sleeping machine) finds its timers expired and new requests unread, so every timeout first waits for input that has arrived.
 */
import { randomUUID } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { REQUEST_ID, formatHeaderName } from '../contract/headers.ts';
import { CONNECTIONS_MAX, REQUEST_HEADER_TIMEOUT_S } from '../contract/limits.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import type { RequestTimeouts } from './request-services.ts';
import { toErrorEnvelope } from './response/error-envelope.ts';
import { JSON_TYPE } from './response/reply.ts';

export interface ConnectionLimits {
  readonly max: number;
  /** Connections above `max` whose first request is answered with 503. Further ones get the 503 without being read. */
  readonly excess: number;
  /** The part of both that one address may have; 1 if all clients share an address. */
  readonly addressFraction?: number;
  /** Addresses of proxies, which connect for many clients. */
  readonly isProxy?: (address: string) => boolean;
}

export interface Listener {
  readonly server: Server;
  /** Whether the connection is above the limit, and still is. */
  isExcess(socket: Socket): boolean;
  /** To be called when hapi has added its own handler for errors of clients. */
  handleTimeouts(): void;
}

export const REQUEST_HEADER_TIMEOUT_MS = REQUEST_HEADER_TIMEOUT_S * 1_000;
/** Node's default. */
export const IDLE_CONNECTION_TIMEOUT_MS = 5_000;
export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { max: CONNECTIONS_MAX, excess: 4 * CONNECTIONS_MAX };
/** How long a connection above the limit may take for its only request. */
const EXCESS_LIFETIME_MS = 2_000;
/** How long it may take to receive the response. */
const EXCESS_CLOSE_MS = 1_000;
const FULL_RESPONSE = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nX-Content-Type-Options: nosniff\r\n\r\n';
/** Of the request line and all headers. Node's default. */
const HEADERS_MAX_KIB = 16;
const CHECK_INTERVAL_MS = 1_000;
const HEADER_TIMEOUT_RESPONSE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n';

export function createListener({ requestHeaderMs, idleConnectionMs }: RequestTimeouts, limits: ConnectionLimits): Listener {
  const { max, excess } = limits;
  const server = createServer({
    maxHeaderSize: HEADERS_MAX_KIB * 1024,
    headersTimeout: requestHeaderMs,
    keepAliveTimeout: idleConnectionMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, requestHeaderMs),
  });
  const excessSockets = new WeakSet<Socket>();
  const addresses = new AddressCounts(limits);
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    const address = addresses.add(socket);
    socket.once('close', () => {
      open -= 1;
      addresses.remove(address);
    });
    if (open <= max && !addresses.isAbove(address, max)) return;
    if (open > max + excess || addresses.isAbove(address, max + excess)) {
      // Frees the descriptor before the next connection is accepted.
      socket.write(FULL_RESPONSE);
      socket.destroy();
      return;
    }
    excessSockets.add(socket);
    const timer = setTimeout(() => rejectExcess(socket), EXCESS_LIFETIME_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  });
  return {
    server,
    isExcess: (socket) => excessSockets.has(socket) && (open > max || addresses.isAbove(toAddress(socket), max)),
    handleTimeouts: () => handleTimeouts(server),
  };
}

const rejectExcess = (socket: Socket): void => endUnread(socket, FULL_RESPONSE);

/** A connection that is closed before its request was read would be reset, and its client not know why. */
function endUnread(socket: Socket, response: string): void {
  afterPendingInput(() => {
    if (socket.destroyed || socket.writableEnded) return void socket.destroy();
    socket.end(response);
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), EXCESS_CLOSE_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  });
}

const toAddress = ({ remoteAddress = '' }: Socket): string => remoteAddress;

/** Counts the connections of each address, so that a single one cannot take all places. */
class AddressCounts {
  readonly #counts = new Map<string, number>();
  readonly #fraction: number;
  readonly #isProxy: (address: string) => boolean;

  constructor({ addressFraction = 1, isProxy = () => false }: ConnectionLimits) {
    this.#fraction = addressFraction;
    this.#isProxy = isProxy;
  }

  add(socket: Socket): string {
    const address = toAddress(socket);
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
    return address;
  }

  remove(address: string): void {
    const count = (this.#counts.get(address) ?? 1) - 1;
    if (count === 0) this.#counts.delete(address);
    else this.#counts.set(address, count);
  }

  /** Whether an address has more than its part of `places`. */
  isAbove(address: string, places: number): boolean {
    const count = this.#counts.get(address) ?? 0;
    return this.#fraction < 1 && count > Math.max(1, Math.floor(places * this.#fraction)) && !this.#isProxy(address);
  }
}

/** From now on every response closes its connection, so that clients open the next one elsewhere. */
export function closeConnectionsAfterResponses(server: Server): void {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

function handleTimeouts(server: Server): void {
  /** Connections whose timeout has expired, until arrived input has been read. */
  const expired = new Set<Socket>();
  server.prependListener('request', ({ socket }) => {
    if (expired.size > 0) expired.delete(socket);
  });
  const closeUnlessRequested = (socket: Socket, close: () => void): void => {
    expired.add(socket);
    afterPendingInput(() => {
      if (expired.delete(socket)) close();
    });
  };
  server.on('timeout', (socket: Socket) => closeUnlessRequested(socket, () => void socket.destroy()));
  const handlers = server.listeners('clientError') as ((error: Error, socket: Socket) => void)[];
  server.removeAllListeners('clientError').on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'HPE_HEADER_OVERFLOW') endUnread(socket, formatHeaderOverflow());
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') closeUnlessRequested(socket, () => void socket.end(HEADER_TIMEOUT_RESPONSE));
    else for (const handle of handlers) handle(error, socket);
  });
}

/** A response below hapi, which learns of a request only when its headers were read. */
function formatHeaderOverflow(): string {
  const message = `The URL and the headers of a request must not exceed ${String(HEADERS_MAX_KIB)} KiB. Send long values in a body, or fewer at a time.`;
  const requestId = randomUUID();
  const body = JSON.stringify(toErrorEnvelope(new StockroomError('VALIDATION_FAILED', message), requestId));
  const headers = {
    Connection: 'close',
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    [formatHeaderName(REQUEST_ID)]: requestId,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Runs `callback` when the input that has arrived so far has been read: timers run before the sockets, and immediates after them. */
export const afterPendingInput = (callback: () => void): void => void setImmediate(callback);
