/** Starts the API server on the configured port, or on the next free one unless that port is required. */
import type { Server } from '@hapi/hapi';
import { ADDRESS_CONNECTIONS_FRACTION } from '../../contract/limits.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import type { Env } from '../../platform/local-paths.ts';
import { createTrustedProxies, isTrustedProxy } from '../../http/forwarded.ts';
import { createApiServer } from '../../http/server.ts';
import type { DaemonConfig } from '../config.ts';
import { DaemonError } from '../errors.ts';
import { readMaxFiles, toConnectionLimits } from './connection-limits.ts';
import { describePortOwner } from './port-owner.ts';
import type { RunningService } from '../service/open-service.ts';

const MAX_PORTS_TRIED = 100;

export interface ListeningServer {
  readonly server: Server;
  readonly url: string;
  readonly port: number;
  /** One sentence when the port is not the configured one. */
  readonly notice: string | undefined;
}

export async function startApiServer(
  service: RunningService,
  { host, port, exactPort, trustProxy, dataDir, publicUrl, cors, allowRegistration, console }: DaemonConfig,
  env: Env,
): Promise<ListeningServer> {
  const trustedProxies = createTrustedProxies(trustProxy);
  const connections = {
    ...toConnectionLimits(readMaxFiles()),
    // All clients of this machine have the same address.
    addressFraction: isLoopbackHost(host) ? 1 : ADDRESS_CONNECTIONS_FRACTION,
    ...(trustedProxies && { isProxy: (address: string) => isTrustedProxy(trustedProxies, address) }),
  };
  const lastPort = exactPort || port === 0 ? port : Math.min(port + MAX_PORTS_TRIED, 65_535);
  for (let candidate = port; ; candidate += 1) {
    // A hapi server that failed to start cannot be started again.
    const settings = { dataDir, publicUrl, cors, allowRegistration, console, trustedProxies };
    const server = createApiServer(service, { host, port: candidate, connections, ...settings });
    try {
      await server.start();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && candidate < lastPort) continue;
      if (code === 'EADDRINUSE' && exactPort) {
        throw new DaemonError('PORT_TAKEN', `Port ${String(port)} is in use by ${await describePortOwner(host, port, env)}`, {
          hint: 'Stop it, or omit --port to use the next free port',
          cause,
        });
      }
      if (code === 'EADDRINUSE')
        throw new DaemonError('PORT_TAKEN', `No free port from ${String(port)} to ${String(lastPort)}`, {
          hint: 'Choose a free port with --port, or --port 0 for any',
          cause,
        });
      throw toListenError(host, candidate, cause as NodeJS.ErrnoException);
    }
    const boundPort = server.info.port as number;
    const notice =
      boundPort === port || port === 0
        ? undefined
        : `Port ${String(port)} is in use by ${await describePortOwner(host, port, env)}; using ${String(boundPort)} instead.`;
    return { server, port: boundPort, url: toUrl(host, boundPort), notice };
  }
}

/** The address for clients, also when the server listens on all addresses of the machine. */
export function toUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}

function toListenError(host: string, port: number, cause: NodeJS.ErrnoException): DaemonError {
  const address = `${host} port ${String(port)}`;
  switch (cause.code) {
    case 'EACCES':
      return new DaemonError('PORT_TAKEN', `Permission denied to listen on ${address}`, { hint: 'Choose a port above 1023', cause });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new DaemonError('USAGE', `This machine has no address ${host}`, { hint: 'Omit --host to listen on 127.0.0.1', cause });
    default:
      return new DaemonError('PORT_TAKEN', `Cannot listen on ${address}: ${cause.message}`, { cause });
  }
}
