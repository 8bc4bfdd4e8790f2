/**
 * Whether the daemon that a state file tells of is there: a key must not go to a stranger that took its port.
 *
 * A process of that number proves nothing: numbers are used again. Two things do, and cost less than a millisecond together:
 * - `/healthz` at the daemon's address knows the instance. Asked on the very connection that the key will travel on, because a
 *   later one may end elsewhere.
 * - The admin socket takes a connection. Everybody can learn the id of an instance, but the socket lies where only the owner can put
 *   one, and it ends with its process; as long as it answers, the daemon holds its port.
 */
import type { Socket } from 'node:net';
import type { DaemonState } from '../contract/places.ts';
import { Unreachable, apiErrorOf } from './errors.ts';
import { type Transport, builtInTransport } from './transport.ts';

/** A daemon that closes every connection after one answer cannot be asked anything on a connection that it was known by. */
const INTRODUCTIONS_MAX = 3;

/** What the state file of a data directory tells; throws when there is none. */
export function expectDaemon(daemon: DaemonState | undefined, dataDir: string): DaemonState {
  if (!daemon) throw new Unreachable(dataDir, `no daemon is running for ${dataDir}`);
  return daemon;
}

const gone = (dataDir: string): Unreachable => new Unreachable(dataDir, `the daemon of ${dataDir} is not running any more`);

/** Sends requests to the settings plane of the daemon, over its socket. They carry no key. */
export function adminTransport({ adminSocket }: DaemonState, dataDir: string): Transport {
  const send = builtInTransport({ socketPath: adminSocket });
  return (request) => send(request).catch((error: unknown) => Promise.reject(wasSent(error) ? (error as Error) : gone(dataDir)));
}

const wasSent = (error: unknown): boolean => !(error instanceof Unreachable) || error.afterSending;

/** Sends requests to the daemon and to nobody else. */
export function daemonTransport(daemon: DaemonState, dataDir: string): Transport {
  const { Agent } = process.getBuiltinModule('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const over = (accepts: (socket: Socket) => boolean): Transport => builtInTransport({ url: daemon.url }, { agent, accepts });
  let known: Socket | undefined;

  async function introduce(): Promise<void> {
    let asked: Socket | undefined;
    const ask = over((socket) => {
      asked = socket;
      return true;
    });
    const health = ask({ method: 'GET', path: '/healthz', headers: {} }).catch(() => undefined);
    const [answer, isThere] = await Promise.all([health, takesConnections(daemon.adminSocket)]);
    // It is stopping; whether it comes back is for the one who waits.
    if (answer?.status === 503) throw apiErrorOf(answer.status, answer.text, answer.headers);
    if (!isThere || instanceOf(answer?.text ?? '') !== daemon.instanceId) throw gone(dataDir);
    known = asked;
  }

  return async (request) => {
    for (let introductions = 0; ; introductions += 1) {
      if (introductions === INTRODUCTIONS_MAX) throw gone(dataDir);
      if (known?.destroyed !== false) await introduce();
      let isKnown = true;
      try {
        return await over((socket) => (isKnown = socket === known))(request);
      } catch (error) {
        if (isKnown) throw error;
        known = undefined;
      }
    }
  };
}

/** Whether somebody listens on a unix socket, or a named pipe on Windows. */
function takesConnections(socketPath: string): Promise<boolean> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function instanceOf(health: string): string | undefined {
  try {
    return (JSON.parse(health) as { instanceId?: string } | null)?.instanceId;
  } catch {
    return undefined;
  }
}
