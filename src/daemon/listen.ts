/** Puts the API server on a port: the wanted one, or, when nobody insisted on it, the next that is free. */
import type { Server } from '@hapi/hapi';
import type { Env } from '../contract/places.ts';
import { apiServer } from '../http/server.ts';
import type { DaemonConfig } from './config.ts';
import { DaemonError } from './errors.ts';
import { nameHolder } from './holder.ts';
import type { RunningService } from './service.ts';

const PORTS_TRIED = 100;

export interface Listening {
  readonly server: Server;
  readonly url: string;
  readonly port: number;
  /** One sentence when the port is not the wanted one. */
  readonly notice: string | undefined;
}

export async function listen(service: RunningService, { host, port, exactPort }: DaemonConfig, env: Env): Promise<Listening> {
  const last = exactPort || port === 0 ? port : Math.min(port + PORTS_TRIED, 65_535);
  for (let tried = port; tried <= last; tried += 1) {
    // A hapi server whose start has failed is of no further use, so each try has its own.
    const server = apiServer(service, { host, port: tried });
    try {
      await server.start();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && tried < last) continue;
      if (code === 'EADDRINUSE' && exactPort) {
        throw new DaemonError('port_taken', `port ${String(port)} is in use by ${await nameHolder(host, port, env)}`, {
          hint: 'stop that, or leave --port out to get the next free port',
          cause,
        });
      }
      if (code === 'EADDRINUSE')
        throw new DaemonError('port_taken', `no port from ${String(port)} to ${String(last)} is free`, {
          hint: 'name a free one with --port, or --port 0 for any',
          cause,
        });
      throw refused(host, tried, cause as NodeJS.ErrnoException);
    }
    const bound = server.info.port as number;
    const notice =
      bound === port || port === 0
        ? undefined
        : `Port ${String(port)} is in use by ${await nameHolder(host, port, env)}; using ${String(bound)} instead.`;
    return { server, port: bound, url: urlOf(host, bound), notice };
  }
  throw new DaemonError('port_taken', `port ${String(port)} cannot be used`);
}

/** The address to call, also when the server listens on every address of the machine. */
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}

function refused(host: string, port: number, cause: NodeJS.ErrnoException): DaemonError {
  const where = `${host} port ${String(port)}`;
  switch (cause.code) {
    case 'EACCES':
      return new DaemonError('port_taken', `this user may not listen on ${where}`, { hint: 'choose a port above 1023', cause });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new DaemonError('usage', `this machine has no address ${host}`, { hint: 'leave --host out to listen on 127.0.0.1', cause });
    default:
      return new DaemonError('port_taken', `cannot listen on ${where}: ${cause.message}`, { cause });
  }
}
