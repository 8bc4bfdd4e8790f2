/**
 * Verifies that the daemon of a state file is running, so that a key is never sent to another process that took its port.
 *
 * The process id proves nothing, because ids are reused. Two checks do, and take less than a millisecond together:
 * - `/healthz` returns the id of the instance, on the same connection that is used for the key.
 * - The admin socket accepts connections. Any process can learn the id of an instance, but only the owner can create the socket, and
 *   it closes with its process. As long as it is open, the daemon holds its port.
 */
import type { Socket } from 'node:net';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { Unreachable, toApiError } from '../errors.ts';
import { type Transport, createHttpTransport } from './transport.ts';

/** Against servers that close each connection after one response, so that no verified connection can be used. */
const VERIFICATIONS_MAX = 3;

/** Returns the state of the daemon; throws Unreachable if there is none. */
export function requireDaemonState(daemon: DaemonState | undefined, dataDir: string): DaemonState {
  if (!daemon) throw new Unreachable(dataDir, `No daemon is running for ${dataDir}`);
  return daemon;
}

const createGoneError = ({ dataDir }: Pick<DaemonState, 'dataDir'>): Unreachable =>
  new Unreachable(dataDir, `The daemon of ${dataDir} is no longer running`);

/** Creates a transport to the admin API of the daemon, over its socket and without a key. */
export function createAdminTransport({ adminSocket, dataDir }: DaemonState): Transport {
  const send = createHttpTransport({ socketPath: adminSocket });
  return (request) =>
    send(request).catch((error: unknown) => Promise.reject(isAfterSending(error) ? (error as Error) : createGoneError({ dataDir })));
}

const isAfterSending = (error: unknown): boolean => !(error instanceof Unreachable) || error.afterSending;

/** Creates a transport that sends requests to the verified daemon only. */
export function createDaemonTransport(daemon: DaemonState): Transport {
  const { Agent } = process.getBuiltinModule('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const createTransport = (accepts: (socket: Socket) => boolean): Transport => createHttpTransport({ url: daemon.url }, { agent, accepts });
  let verifiedSocket: Socket | undefined;

  async function verifyDaemon(): Promise<void> {
    let usedSocket: Socket | undefined;
    const sendHealthCheck = createTransport((socket) => {
      usedSocket = socket;
      return true;
    });
    const health = sendHealthCheck({ method: 'GET', path: '/healthz', headers: {} }).catch(() => undefined);
    const [answer, isThere] = await Promise.all([health, acceptsConnections(daemon.adminSocket)]);
    // It is shutting down; the caller decides whether to wait for its return.
    if (answer?.status === 503) throw toApiError(answer.status, answer.text, answer.headers);
    if (!isThere || parseInstanceId(answer?.text ?? '') !== daemon.instanceId) throw createGoneError(daemon);
    verifiedSocket = usedSocket;
  }

  return async (request) => {
    for (let verifications = 0; ; verifications += 1) {
      if (verifications === VERIFICATIONS_MAX) throw createGoneError(daemon);
      if (verifiedSocket?.destroyed !== false) await verifyDaemon();
      let isVerified = true;
      try {
        return await createTransport((socket) => (isVerified = socket === verifiedSocket))(request);
      } catch (error) {
        if (isVerified) throw error;
        verifiedSocket = undefined;
      }
    }
  };
}

/** Whether a process listens on a Unix socket, or a named pipe on Windows. */
function acceptsConnections(socketPath: string): Promise<boolean> {
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

function parseInstanceId(health: string): string | undefined {
  try {
    return (JSON.parse(health) as { instanceId?: string } | null)?.instanceId;
  } catch {
    return undefined;
  }
}
