import type { DaemonState } from '../../platform/daemon-state.ts';
import { DEFAULT_HOST } from '../../platform/local-paths.ts';
import type { DaemonConfig } from '../config.ts';
import { describeVersionSkew } from './status.ts';

/** One sentence for each option of a start that has no effect because the daemon was already running without it. */
export function listIgnoredOptions(config: DaemonConfig, { url, version, options }: DaemonState): string[] {
  const notices: string[] = [];
  if (config.exactPort && config.port !== 0 && config.port !== options.port)
    notices.push(`Already running on ${url}; port ${String(config.port)} was ignored. Stop the daemon first to change its port.`);
  if (config.isHostExplicit && config.host !== options.host)
    notices.push(
      `Already running on ${options.host ?? DEFAULT_HOST}; --host ${config.host} was ignored. Stop the daemon first to change its address.`,
    );
  for (const [name, limit] of Object.entries(config.tiers))
    if (options.tiers?.[name] !== limit)
      notices.push(
        `Already running; tier ${name}=${String(limit)} was ignored. Set it with \`stockroom tiers set ${name} ${String(limit)}\`.`,
      );
  if (config.isWebhookRetriesExplicit && config.webhookRetries !== options.webhookRetries)
    notices.push(
      `Already running with other webhook retries. Stop the daemon first to use --webhook-retries ${config.webhookRetries ?? ''}.`,
    );
  if (config.publicUrl !== undefined && config.publicUrl !== options.publicUrl)
    notices.push(`Already running with another public URL. Stop the daemon first to use ${config.publicUrl}.`);
  if (config.contract === 'strict' && options.contract !== 'strict')
    notices.push('Already running with extensions. Stop the daemon first to use --contract strict.');
  if (config.cors.length > 0 && String(config.cors) !== String(options.cors ?? []))
    notices.push('Already running with other allowed origins. Stop the daemon first to change them.');
  if (config.trustProxy.length > 0 && String(config.trustProxy) !== String(options.trustProxy))
    notices.push('Already running with other trusted proxies. Stop the daemon first to change them.');
  for (const name of ['metrics', 'control'] as const) {
    const [port, running] = [config[`${name}Port`], options[`${name}Port`]];
    // Port 0 accepts any.
    if (port !== undefined && (port === 0 ? running === undefined : port !== running))
      notices.push(
        `Already running without ${name}${port === 0 ? '' : ` on port ${String(port)}`}. Stop the daemon first to use --${name}-port.`,
      );
  }
  if (!config.console && config.contract !== 'strict' && options.console !== false)
    notices.push('Already running with the console. Stop the daemon first to use --no-console.');
  if (config.isLogLevelExplicit && config.logLevel !== options.logLevel)
    notices.push(
      `Already running with log level ${options.logLevel ?? 'info'}. Stop the daemon first to use --log-level ${config.logLevel}.`,
    );
  if (config.testClock && options.testClock !== true)
    notices.push('Already running without a test clock. Stop the daemon first to use --test-clock.');
  if (config.snapshot !== undefined)
    notices.push(`Already running; restore the snapshot with \`stockroom snapshot load ${config.snapshot}\`.`);
  const skew = describeVersionSkew({ version });
  return skew === undefined ? notices : [...notices, skew];
}
