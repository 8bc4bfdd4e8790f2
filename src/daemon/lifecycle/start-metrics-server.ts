/** Starts the listener for metrics, if one is configured. Its port is binding: a Prometheus server could not find another one. */
import { METRICS_PATH } from '../../contract/admin/daemon.ts';
import type { Env } from '../../platform/local-paths.ts';
import type { DaemonConfig } from '../config.ts';
import { DaemonError } from '../errors.ts';
import type { RunningService } from '../service/open-service.ts';
import { describePortOwner } from './port-owner.ts';
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
    const address = `port ${String(metricsPort)} of ${metricsHost}`;
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? `it is in use by ${await describePortOwner(metricsHost, metricsPort, env)}` : message;
    throw new DaemonError('PORT_TAKEN', `Cannot listen for metrics on ${address}: ${reason}`, {
      hint: 'Choose another port with --metrics-port, or --metrics-port 0 for any',
      cause,
    });
  }
}
