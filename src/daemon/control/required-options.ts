import type { DaemonOptions, DaemonState } from '../../platform/daemon-state.ts';
import { DEFAULT_HOST } from '../../platform/local-paths.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import type { DaemonConfig } from '../config.ts';
import { DaemonError } from '../errors.ts';

interface Difference {
  /** Continues "Already running". */
  readonly what: string;
  readonly hint: string;
}

/** Throws a conflict if a running daemon does not have the options of a start: a program would use another service than it asked for. */
export function requireSameOptions(config: DaemonConfig, state: DaemonState): void {
  const differences = listDifferences(config, state);
  if (differences.length === 0) return;
  throw new DaemonError('OTHER_OPTIONS', `Already running ${differences.map(({ what }) => what).join(', and ')}`, {
    hint: [...new Set(differences.map(({ hint }) => hint))].join('. '),
  });
}

function listDifferences(config: DaemonConfig, { url, options }: DaemonState): Difference[] {
  const differences: Difference[] = [];
  const add = (isDifferent: boolean, what: string, hint: string) => {
    if (isDifferent) differences.push({ what, hint });
  };
  const addRestart = (isDifferent: boolean, what: string, use: string) =>
    add(isDifferent, what, `To ${use}, stop it first: \`stockroom daemon stop\``);
  addRestart(config.exactPort && config.port !== 0 && config.port !== options.port, `on ${url}`, `use port ${String(config.port)}`);
  addRestart(isOther(getExplicit(config, 'host'), options.host), `on ${options.host ?? DEFAULT_HOST}`, `listen on ${config.host}`);
  for (const [name, limit] of Object.entries(config.tiers)) {
    const setting = `${name} ${String(limit)}`;
    add(options.tiers?.[name] !== limit, `without tier ${setting}`, `Set it with \`stockroom tiers set ${setting}\``);
  }
  const { store = '', webhookRetries = '' } = config;
  addRestart(isOther(config.store, options.store), `with the store ${options.store ?? 'of files'}`, `use the store ${store}`);
  const retries = getExplicit(config, 'webhookRetries');
  addRestart(isOther(retries, options.webhookRetries), 'with other webhook retries', `use --webhook-retries ${webhookRetries}`);
  addDeploymentDifferences(config, options, addRestart);
  const { logLevel = 'info' } = options;
  addRestart(isOther(getExplicit(config, 'logLevel'), logLevel), `with log level ${logLevel}`, `use --log-level ${config.logLevel}`);
  addRestart(config.record && options.record !== true, 'without a recorder', 'use --record');
  addRestart(config.testClock && options.testClock !== true, 'without a test clock', 'use --test-clock');
  add(config.snapshot !== undefined, 'with its own data', `Restore the snapshot with \`stockroom snapshot load ${config.snapshot ?? ''}\``);
  return differences;
}

/** Whether a setting was asked for that the running daemon has otherwise. */
const isOther = <T>(wanted: T | undefined, running: T | undefined): boolean => wanted !== undefined && wanted !== running;

/** A setting that has a default; undefined unless it was given. */
const getExplicit = <K extends DaemonConfig['explicit'][number]>(config: DaemonConfig, name: K): DaemonConfig[K] | undefined =>
  config.explicit.includes(name) ? config[name] : undefined;

/** Adds what differs for other machines. */
function addDeploymentDifferences(
  config: DaemonConfig,
  options: DaemonOptions,
  addRestart: (isDifferent: boolean, what: string, use: string) => void,
): void {
  addRestart(isOther(config.publicUrl, options.publicUrl), 'with another public URL', `use ${config.publicUrl ?? ''}`);
  const { contract = 'extended' } = options;
  addRestart(isOther(getExplicit(config, 'contract'), contract), `with the ${contract} contract`, `use --contract ${config.contract}`);
  addRestart(config.cors.length > 0 && String(config.cors) !== String(options.cors ?? []), 'with other allowed origins', 'change them');
  addRestart(
    config.trustProxy.length > 0 && String(config.trustProxy) !== String(options.trustProxy),
    'with other trusted proxies',
    'change them',
  );
  for (const name of ['metrics', 'control'] as const) {
    const [port, running] = [config[`${name}Port`], options[`${name}Port`]];
    // Port 0 accepts any.
    const isDifferent = port !== undefined && (port === 0 ? running === undefined : port !== running);
    addRestart(isDifferent, `without --${name}-port${port === 0 ? '' : ` ${String(port)}`}`, `use --${name}-port`);
  }
  for (const name of ['metrics', 'control'] as const) {
    const [host, running = DEFAULT_HOST] = [config[`${name}Host`], options[`${name}Host`]];
    // Without one of the ports, that is the difference.
    const isUsed = config[`${name}Port`] !== undefined && options[`${name}Port`] !== undefined;
    addRestart(
      isUsed && isOther(getExplicit(config, `${name}Host`), running),
      `with --${name}-host ${running}`,
      `use --${name}-host ${host}`,
    );
  }
  addRestart(!config.console && config.contract !== 'strict' && options.console !== false, 'with the console', 'use --no-console');
  addRestart(config.console && config.explicit.includes('console') && options.console === false, 'without the console', 'use --console');
  const { drainSeconds = 0 } = options;
  addRestart(
    isOther(getExplicit(config, 'drainSeconds'), drainSeconds),
    `with --drain-seconds ${String(drainSeconds)}`,
    `use --drain-seconds ${String(config.drainSeconds)}`,
  );
  const { allowRegistration = isLoopbackHost(options.host ?? DEFAULT_HOST) && options.publicUrl === undefined } = options;
  addRestart(
    isOther(config.allowRegistration, allowRegistration),
    `${allowRegistration ? 'with' : 'without'} registration of applications`,
    `use --${allowRegistration ? 'no-' : ''}allow-registration`,
  );
  addRestart(
    isOther(config.otlpEndpoint, options.otlpEndpoint),
    options.otlpEndpoint === undefined ? 'without an OTLP endpoint' : 'with another OTLP endpoint',
    `use --otlp-endpoint ${config.otlpEndpoint ?? ''}`,
  );
}
