/** Starts the control port, if one is configured. Its port is binding: a test suite could not find another one. */
import type { Env } from '../../platform/local-paths.ts';
import { type ControlAccess, createControlServer } from '../../http/control-server.ts';
import type { AdminRouteOptions } from '../../http/admin-routes.ts';
import type { DaemonConfig } from '../config.ts';
import { prepareControlToken } from '../data-directory/control-token.ts';
import type { RunningService } from '../service/open-service.ts';
import { toPortError } from './port-owner.ts';
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
    throw await toPortError('control', host, port, env, cause);
  }
  const boundPort = server.info.port as number;
  return { port: boundPort, url: toUrl(host, boundPort), token, close: () => server.stop({ timeout: CLOSE_GRACE_MS }) };
}
