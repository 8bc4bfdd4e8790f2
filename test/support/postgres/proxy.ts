/** A proxy between stores and their database that loses packets, answers and connections at a chosen moment. */
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** What a client sends. `read`: the begin of a read that the cache cannot answer; `begin` and `commit`: of changes. */
export type Moment = 'connect' | 'join' | 'read' | 'begin' | 'commit' | 'listen';

/**
 *   reset    The connection is cut instead of forwarding what the client sends.
 *   answer   It is forwarded, and the connection is cut instead of its answer. Only for `commit`.
 *   swallow  Nothing arrives any more on this connection, in either direction, and it stays open.
 *   freeze   It is forwarded, and then nothing arrives any more.
 *   delay    Everything waits for `resume`, and then arrives, even if the client has given up meanwhile.
 */
export type Fault = 'reset' | 'answer' | 'swallow' | 'freeze' | 'delay';

export interface DatabaseProxy extends AsyncDisposable {
  readonly url: string;
  /** Where new connections lead. */
  target: string;
  /** Happens once; undefined when it has. */
  fault: { readonly at: Moment; readonly kind: Fault } | undefined;
  /** Refuses connections while it is set. */
  isDown: boolean;
  /** Drops all packets of all connections, also new ones, while it is set. */
  isBlackHole: boolean;
  /** Lets what was delayed continue. */
  resume(): void;
  /** Cuts all connections. */
  cut(): void;
  /** Cuts each connection once its client sends something: the client has not noticed that it was closed while it was idle. */
  closeIdle(): void;
}

/** The head of a tenant, as a group of changes writes it. */
const HEAD = /":\[\d+,\d+,"/u;

const MOMENTS: Readonly<Record<Exclude<Moment, 'connect'>, (chunk: Buffer) => boolean>> = {
  join: (chunk) => chunk.includes('stockroom.schema_info FOR UPDATE'),
  read: (chunk) => chunk.includes('BEGIN ISOLATION LEVEL REPEATABLE READ'),
  begin: (chunk) => chunk.includes('BEGIN ISOLATION LEVEL READ COMMITTED'),
  commit: (chunk) => chunk.includes('COMMIT\0') && HEAD.test(chunk.toString('latin1')),
  listen: (chunk) => chunk.includes('LISTEN stockroom'),
};
/** Ready for query, in no transaction: the server has committed. */
const COMMITTED = Buffer.from('COMMIT\0Z\0\0\0\u0005I');

/** What all connections share. */
interface ProxyState extends Pick<DatabaseProxy, 'target' | 'fault' | 'isDown' | 'isBlackHole'> {
  readonly sockets: Set<Socket>;
  /** Sockets that are closed once their client sends something. */
  closedClients: Set<Socket>;
  delayed: (() => void)[];
}

export async function startDatabaseProxy(target: string): Promise<DatabaseProxy> {
  const state: ProxyState = {
    target,
    fault: undefined,
    isDown: false,
    isBlackHole: false,
    sockets: new Set(),
    closedClients: new Set(),
    delayed: [],
  };
  const server = createServer((client) => forwardConnection(state, client)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => state.sockets.forEach((socket) => socket.destroy());
  return Object.assign(state, {
    url: url.href,
    resume() {
      const work = state.delayed;
      state.delayed = [];
      for (const each of work) each();
    },
    cut,
    closeIdle() {
      state.closedClients = new Set(state.sockets);
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  });
}

function takeFault(state: ProxyState, isReached: (at: Moment) => boolean): Fault | undefined {
  if (state.fault === undefined || !isReached(state.fault.at)) return undefined;
  const { kind } = state.fault;
  state.fault = undefined;
  return kind;
}

function forwardConnection(state: ProxyState, client: Socket): void {
  if (state.isDown) return void client.destroy();
  const { hostname, port } = new URL(state.target);
  const upstream = connect(Number(port), hostname);
  const on = { swallow: false, delay: false, answer: false };
  const close = (): void => {
    client.destroy();
    upstream.destroy();
  };
  /** What was delayed still arrives at the server. */
  const closeOne = (socket: Socket): void => (on.delay && socket === client ? undefined : close());
  const apply = (kind: Fault | undefined): void => {
    if (kind === 'reset') close();
    else if (kind !== undefined && kind !== 'freeze') on[kind] = true;
  };
  const forward = (to: Socket, chunk: Buffer): void => {
    if (on.swallow || state.isBlackHole || to.destroyed) return;
    if (!on.delay) return void to.write(chunk);
    state.delayed.push(() => {
      on.delay = false;
      if (!to.destroyed) to.write(chunk);
      if (client.destroyed) upstream.end();
    });
  };
  for (const socket of [client, upstream]) {
    state.sockets.add(socket);
    socket
      .on('error', () => closeOne(socket))
      .on('close', () => {
        state.sockets.delete(socket);
        closeOne(socket);
      });
  }
  apply(takeFault(state, (at) => at === 'connect'));
  client.on('data', (chunk: Buffer) => {
    if (state.closedClients.has(client)) return close();
    const kind = takeFault(state, (at) => at !== 'connect' && MOMENTS[at](chunk));
    apply(kind);
    forward(upstream, chunk);
    on.swallow ||= kind === 'freeze';
  });
  upstream.on('data', (chunk: Buffer) => {
    if (!on.answer) return forward(client, chunk);
    if (chunk.includes(COMMITTED)) close();
  });
}
