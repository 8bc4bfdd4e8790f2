/** Starts the listeners for metrics and control, if they are configured. Their ports are binding: their clients could not find another one. */
import { METRICS_PATH } from '../../contract/admin/daemon.ts';
import type { Env } from '../../platform/local-paths.ts';
import type { AdminRouteOptions } from '../../http/admin-routes.ts';
import { type ControlAccess, createControlServer } from '../../http/control-server.ts';
import type { DaemonConfig } from '../config.ts';
import { prepareControlToken } from '../data-directory/control-token.ts';
import type { RunningService } from '../service/open-service.ts';
import { toPortError } from './port-owner.ts';
import { toUrl } from './start-api-server.ts';

export interface Listener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 1_000;

export async function startMetricsServer(
  service: RunningService,
  { metricsPort, metricsHost }: DaemonConfig,
  env: Env,
): Promise<Listener | undefined> {
  if (metricsPort === undefined) return undefined;
  const metrics = await import('../../http/metrics/metrics-server.ts');
  try {
    const { port, close } = await metrics.startMetricsServer(service, { host: metricsHost, port: metricsPort });
    return { port, close, url: toUrl(metricsHost, port) + METRICS_PATH };
  } catch (cause) {
    throw await toPortError('metrics', metricsHost, metricsPort, env, cause);
  }
}

export async function startControlServer(
  service: RunningService,
  { controlPort, controlHost: host, controlToken, dataDir }: DaemonConfig,
  env: Env,
  options: AdminRouteOptions,
): Promise<(Listener & ControlAccess) | undefined> {
  if (controlPort === undefined) return undefined;
  const token = prepareControlToken(dataDir, controlToken);
  const server = createControlServer(service, { ...options, host, port: controlPort, token });
  try {
    await server.start();
  } catch (cause) {
    throw await toPortError('control', host, controlPort, env, cause);
  }
  const port = server.info.port as number;
  return { port, url: toUrl(host, port), token, close: () => server.stop({ timeout: CLOSE_GRACE_MS }) };
}
