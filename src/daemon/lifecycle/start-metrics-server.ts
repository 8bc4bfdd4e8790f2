/** Starts the listener for metrics, if one is configured. Its port is binding: a Prometheus server could not find another one. */
import { METRICS_PATH } from '../../contract/admin/daemon.ts';
import type { Env } from '../../platform/local-paths.ts';
import type { DaemonConfig } from '../config.ts';
import type { RunningService } from '../service/open-service.ts';
import { toPortError } from './port-owner.ts';
import { toUrl } from './start-api-server.ts';

export interface ListeningMetricsServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function startMetricsServer(
  service: RunningService,
  { metricsPort, metricsHost }: DaemonConfig,
  env: Env,
): Promise<ListeningMetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const metrics = await import('../../http/metrics/metrics-server.ts');
  try {
    const { port, close } = await metrics.startMetricsServer(service, { host: metricsHost, port: metricsPort });
    return { port, close, url: toUrl(metricsHost, port) + METRICS_PATH };
  } catch (cause) {
    throw await toPortError('metrics', metricsHost, metricsPort, env, cause);
  }
}
