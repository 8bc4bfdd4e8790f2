/** Starts the control port, if one is configured. Its port is binding: a test suite could not find another one. */
import type { Env } from '../../platform/local-paths.ts';
import { type ControlAccess, createControlServer } from '../../http/control-server.ts';
import type { AdminRouteOptions } from '../../http/admin-routes.ts';
import type { DaemonConfig } from '../config.ts';
import { prepareControlToken } from '../data-directory/control-token.ts';
import { DaemonError } from '../errors.ts';
import type { RunningService } from '../service/open-service.ts';
import { describePortOwner } from './port-owner.ts';
import { toUrl } from './start-api-server.ts';

export interface ListeningControlServer extends ControlAccess {
  readonly port: number;
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 1_000;

export async function startControlServer(
  service: RunningService,
  { controlPort: port, controlHost: host, controlToken, dataDir }: DaemonConfig,
  env: Env,
  options: AdminRouteOptions,
): Promise<ListeningControlServer | undefined> {
  if (port === undefined) return undefined;
  const token = prepareControlToken(dataDir, controlToken);
  const server = createControlServer(service, { ...options, host, port, token });
  try {
    await server.start();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `it is in use by ${await describePortOwner(host, port, env)}` : message;
    throw new DaemonError('PORT_TAKEN', `Cannot listen for control on port ${String(port)} of ${host}: ${reason}`, {
      hint: 'Choose another port with --control-port, or --control-port 0 for any',
      cause,
    });
  }
  const boundPort = server.info.port as number;
  return { port: boundPort, url: toUrl(host, boundPort), token, close: () => server.stop({ timeout: CLOSE_GRACE_MS }) };
}
