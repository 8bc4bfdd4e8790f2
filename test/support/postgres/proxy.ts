/** A proxy between stores and their database that loses packets, answers and connections at a chosen moment. */
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** What a client sends. `commit`: not that of a read, which changes nothing. */
export type Moment = 'connect' | 'join' | 'begin' | 'commit' | 'listen';

/**
 *   reset    The connection is cut instead of forwarding what the client sends.
 *   answer   It is forwarded, and the connection is cut instead of its answer. Only for `commit`.
 *   swallow  Nothing arrives any more on this connection, in either direction, and it stays open.
 *   freeze   It is forwarded, and then nothing arrives any more.
 *   delay    Everything waits for `resume`.
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
}

/** The head of a tenant, as a group of changes writes it. */
const HEAD = /":\[\d+,\d+,"/u;

const MOMENTS: Readonly<Record<Exclude<Moment, 'connect'>, (chunk: Buffer) => boolean>> = {
  join: (chunk) => chunk.includes('stockroom.schema_info FOR UPDATE'),
  begin: (chunk) => chunk.includes('BEGIN ISOLATION LEVEL READ COMMITTED'),
  commit: (chunk) => chunk.includes('COMMIT\0') && HEAD.test(chunk.toString('latin1')),
  listen: (chunk) => chunk.includes('LISTEN stockroom'),
};
/** Ready for query, in no transaction: the server has committed. */
const COMMITTED = Buffer.from('COMMIT\0Z\0\0\0\u0005I');

export async function startDatabaseProxy(target: string): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  let delayed: (() => void)[] = [];
  const takeFault = (isReached: (at: Moment) => boolean): Fault | undefined => {
    if (proxy.fault === undefined || !isReached(proxy.fault.at)) return undefined;
    const { kind } = proxy.fault;
    proxy.fault = undefined;
    return kind;
  };
  const server = createServer((client) => {
    if (proxy.isDown) return void client.destroy();
    const { hostname, port } = new URL(proxy.target);
    const upstream = connect(Number(port), hostname);
    let [isSwallowing, isDelaying, isCutting] = [false, false, false];
    const close = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const apply = (kind: Fault | undefined): void => {
      if (kind === 'reset') close();
      isSwallowing ||= kind === 'swallow';
      isDelaying ||= kind === 'delay';
      isCutting ||= kind === 'answer';
    };
    const forward = (to: Socket, chunk: Buffer): void => {
      if (isSwallowing || proxy.isBlackHole || to.destroyed) return;
      if (!isDelaying) return void to.write(chunk);
      delayed.push(() => {
        isDelaying = false;
        to.write(chunk);
      });
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', close).on('close', () => {
        sockets.delete(socket);
        close();
      });
    }
    apply(takeFault((at) => at === 'connect'));
    client.on('data', (chunk: Buffer) => {
      const kind = takeFault((at) => at !== 'connect' && MOMENTS[at](chunk));
      apply(kind);
      forward(upstream, chunk);
      isSwallowing ||= kind === 'freeze';
    });
    upstream.on('data', (chunk: Buffer) => {
      if (!isCutting) return forward(client, chunk);
      if (chunk.includes(COMMITTED)) close();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const proxy: DatabaseProxy = {
    url: url.href,
    target,
    fault: undefined,
    isDown: false,
    isBlackHole: false,
    resume() {
      const work = delayed;
      delayed = [];
      for (const each of work) each();
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
