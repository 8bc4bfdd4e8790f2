/** The configuration of a daemon, from its flags and the configuration file: validated once and frozen. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { snapshotName } from '../contract/admin/snapshots.ts';
import { findClosestMatch } from '../contract/schema/closest-match.ts';
import { tierName } from '../contract/admin/tiers.ts';
import { EVENT_LOG_DAYS_CEILING, EVENT_LOG_MAX_ROWS_CEILING, TIER_MAX_PER_MINUTE } from '../contract/limits.ts';
import { t } from '../contract/schema/builder.ts';
import type { Infer } from '../contract/schema/builder.ts';
import { type EventRetention, DEFAULT_EVENT_RETENTION } from '../domain/events/event-log.ts';
import { type DaemonOptions, LOG_LEVELS, type LogLevel, PORT_MAX } from '../platform/daemon-state.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { DEFAULT_HOST, DEFAULT_PORT, type Env, getConfigDirectory, resolveDataDirectory } from '../platform/local-paths.ts';
import { type DeploymentSettings, deploymentFields, resolveDeploymentSettings } from './deployment-settings.ts';
import { DaemonError } from './errors.ts';
import { type Source, fromFile, fromFlag } from './setting-source.ts';
import { STORE_VARIABLE, resolveStoreAddress } from './store-address.ts';
import { type WebhookSettings, resolveWebhookSettings, webhooksSection } from './webhook-settings.ts';

export interface DaemonFlags extends DaemonOptions {
  readonly dataDir?: string;
  readonly demo?: boolean;
  /** The caller applies fixtures, so an empty store gets no first tenant. */
  readonly hasFixtures?: boolean;
  /** Name of a snapshot in the data directory. */
  readonly snapshot?: string;
  /** Fail when the port is in use, instead of trying the next one. */
  readonly exactPort?: boolean;
  /** A service for one command on this machine: variables and file do not change its address for clients and its stop. */
  readonly isPrivate?: boolean;
}

export interface DaemonConfig extends DeploymentSettings {
  readonly dataDir: string;
  /** Whether the data directory is temporary: the daemon removes it when it stops. */
  readonly ephemeral: boolean;
  /** Address of the PostgreSQL store, without a password; undefined for the file store. */
  readonly store: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly exactPort: boolean;
  readonly insecure: boolean;
  readonly testClock: boolean;
  /** Offset of the test clock, which a restart keeps. */
  readonly clockOffsetSeconds: number;
  /** Name of a snapshot to restore before the start. */
  readonly snapshot: string | undefined;
  readonly tiers: Readonly<Record<string, number>>;
  readonly demo: boolean;
  readonly hasFixtures: boolean;
  /** Record requests with headers and bodies. */
  readonly record: boolean;
  readonly logLevel: LogLevel;
  readonly webhooks: WebhookSettings;
  readonly events: EventRetention;
  /** The text of --webhook-retries, which a restart passes on. */
  readonly webhookRetries: string | undefined;
  /** Settings with a default that flags or file have. */
  readonly explicit: readonly (typeof DEFAULTED)[number][];
}

const DEFAULTED = ['host', 'logLevel', 'webhookRetries', 'contract', 'console', 'drainSeconds', 'metricsHost', 'controlHost'] as const;

const port = () => t.int({ min: 0, max: PORT_MAX });

/** The section `daemon` of the configuration file. */
const daemonSection = t.object({
  host: t.optional(t.string({ min: 1, max: 255 })),
  port: t.optional(port()),
  insecure: t.optional(t.bool()),
  testClock: t.optional(t.bool()),
  tiers: t.optional(t.map(t.int({ min: 1, max: TIER_MAX_PER_MINUTE }))),
  logLevel: t.optional(t.enums(LOG_LEVELS)),
  ...deploymentFields,
});

/** Returns the configuration or throws a DaemonError about an invalid value. Creates the directory of an ephemeral daemon. */
export async function resolveConfig(flags: DaemonFlags, env: Env): Promise<DaemonConfig> {
  const configFile = join(getConfigDirectory(env), 'config.json');
  const { daemon: file, webhooks, events } = await readSections(configFile);
  const store = resolveStoreAddress(flags.store, flags.isPrivate ? {} : env);
  if (store !== undefined) {
    const [other] = flags.ephemeral ? ['--ephemeral'] : flags.snapshot === undefined ? [] : ['--snapshot'];
    if (other !== undefined)
      throw usageError(
        `Cannot combine ${flags.store === undefined ? STORE_VARIABLE : '--store'} with ${other}: the data is in PostgreSQL`,
        flags.store === undefined ? `Unset ${STORE_VARIABLE}, or omit ${other}` : 'Omit one of them',
      );
  }
  if (flags.ephemeral && flags.dataDir !== undefined) {
    throw usageError('Cannot combine --ephemeral with --data-dir: an ephemeral daemon creates its own data directory', 'Omit one of them');
  }
  const fileOptions: DaemonOptions = file;
  const host = flags.host ?? file.host ?? DEFAULT_HOST;
  const insecure = flags.insecure ?? file.insecure ?? false;
  if (!isLoopbackHost(host) && !insecure) {
    throw usageError(
      `Refusing to listen on ${host} over plain HTTP: other machines could reach the service and read its keys`,
      `Pass --insecure to allow it, or omit ${flags.host === undefined ? fromFile(configFile, 'daemon', 'host').name : '--host'}`,
    );
  }
  const requestedPort = flags.port ?? file.port;
  if (requestedPort !== undefined && !(Number.isInteger(requestedPort) && requestedPort >= 0 && requestedPort <= PORT_MAX))
    throw usageError(`Invalid port ${String(requestedPort)} in --port. Use a whole number from 0 to ${String(PORT_MAX)}`);
  checkTiers(file.tiers, fromFile(configFile, 'daemon', 'tiers'));
  checkTiers(flags.tiers, fromFlag('--tier'));
  const deployment = resolveDeploymentSettings(flags, flags.isPrivate ? {} : env, flags.isPrivate ? {} : file, {
    hasSharedStore: store !== undefined,
    insecure,
    configFile,
  });
  // A demo shows deliveries that are retried and arrive.
  const isScheduled = webhooks.retryProfile !== undefined || webhooks.retryScheduleSeconds !== undefined;
  const retries = flags.webhookRetries ?? (flags.demo === true && !isScheduled ? 'demo' : undefined);
  // Others than the users of this machine may be its tenants.
  const isPublished = !isLoopbackHost(host) || deployment.publicUrl !== undefined;
  return Object.freeze({
    dataDir: flags.ephemeral ? createTemporaryDirectory() : resolveDataDirectory(env, flags.dataDir),
    ephemeral: flags.ephemeral ?? false,
    store,
    host,
    port: requestedPort ?? DEFAULT_PORT,
    // A port in the configuration file is a preference, like the default one; only --port requires it.
    exactPort: flags.exactPort ?? flags.port !== undefined,
    insecure,
    testClock: flags.testClock ?? file.testClock ?? false,
    clockOffsetSeconds: flags.clockOffsetSeconds ?? 0,
    snapshot: flags.snapshot === undefined ? undefined : checkSnapshotName(flags.snapshot),
    tiers: Object.freeze({ ...file.tiers, ...flags.tiers }),
    demo: flags.demo ?? false,
    hasFixtures: flags.hasFixtures ?? false,
    record: flags.record ?? false,
    logLevel: flags.logLevel ?? file.logLevel ?? 'info',
    webhooks: Object.freeze(resolveWebhookSettings(webhooks, { retries, isPublished, configFile })),
    webhookRetries: retries,
    explicit: DEFAULTED.filter((name) => (flags[name] ?? fileOptions[name]) !== undefined),
    events: Object.freeze({ ...DEFAULT_EVENT_RETENTION, ...events }),
    ...deployment,
  });
}

/** Parses `NAME=PER_MINUTE` of the flag --tier. */
export function parseTier(text: string): readonly [name: string, perMinute: number] {
  const [, name, limit] = /^([^=]+)=(\d+)$/u.exec(text) ?? [];
  if (name === undefined || limit === undefined)
    throw usageError(`Invalid --tier "${text}". Use NAME=PER_MINUTE, for example --tier bulk=6000`);
  checkTier(name, Number(limit), fromFlag('--tier'));
  return [name, Number(limit)];
}

/** The options with which a restart starts the same daemon again. */
export function toDaemonOptions(
  config: DaemonConfig,
  boundPort: number,
  { metricsPort, controlPort }: { readonly metricsPort: number | undefined; readonly controlPort: number | undefined },
): DaemonOptions {
  const { host, insecure, ephemeral, testClock, tiers, logLevel, trustProxy, drainSeconds, contract, cors } = config;
  const { store, webhookRetries, publicUrl, allowRegistration, otlpEndpoint, metricsHost, controlHost } = config;
  const always = { host, port: boundPort, insecure, ephemeral, testClock, tiers, logLevel, trustProxy, drainSeconds };
  return {
    ...always,
    ...(store !== undefined && { store }),
    ...(config.record && { record: true }),
    ...(webhookRetries !== undefined && { webhookRetries }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(contract === 'strict' && { contract }),
    ...(cors.length > 0 && { cors }),
    ...(allowRegistration !== undefined && { allowRegistration }),
    ...(otlpEndpoint !== undefined && { otlpEndpoint }),
    ...(!config.console && contract !== 'strict' && { console: false }),
    ...(metricsPort !== undefined && { metricsPort, metricsHost }),
    ...(controlPort !== undefined && { controlPort, controlHost }),
  };
}

function checkSnapshotName(name: string): string {
  const { pattern = '', max = 0, hint = '' } = snapshotName();
  if (name.length <= max && new RegExp(pattern, 'u').test(name)) return name;
  throw usageError(`Invalid snapshot name "${name}". Use ${hint}, at most ${String(max)} characters`);
}

function checkTiers(tiers: Readonly<Record<string, number>> = {}, source: Source): void {
  for (const [name, limit] of Object.entries(tiers)) checkTier(name, limit, source);
}

function checkTier(name: string, limit: number, source: Source): void {
  const { pattern = '', max = 0, hint = '' } = tierName();
  if (name.length > max || !new RegExp(pattern, 'u').test(name))
    throw usageError(`Invalid tier name "${name}" in ${source.name}. Use ${hint}, at most ${String(max)} characters`);
  if (!Number.isInteger(limit) || limit < 1 || limit > TIER_MAX_PER_MINUTE)
    throw usageError(
      `Invalid limit of tier ${name} in ${source.name}. Use a whole number of requests per minute from 1 to ${String(TIER_MAX_PER_MINUTE)}`,
    );
}

/** The section `events` of the configuration file: how long events are kept. */
const eventsSection = t.object({
  maxRows: t.optional(t.int({ min: 1, max: EVENT_LOG_MAX_ROWS_CEILING })),
  days: t.optional(t.int({ min: 1, max: EVENT_LOG_DAYS_CEILING })),
});

const sections = { daemon: daemonSection, webhooks: webhooksSection, events: eventsSection } as const;
type Sections = { readonly [K in keyof typeof sections]: Infer<(typeof sections)[K]> };

/** What else the file holds, which src/client reads and writes. */
const CLIENT_SECTIONS = ['profile', 'profiles', 'dashboard'];

/** Settings in a section that this release does not know would silently have no effect. */
function checkSectionNames(path: string, document: object | null): void {
  const known = [...Object.keys(sections), ...CLIENT_SECTIONS];
  for (const name of Object.keys(document ?? {})) {
    if (known.includes(name)) continue;
    const closest = findClosestMatch(name, known);
    throw usageError(
      `${path}: unknown section "${name}". Known sections: ${known.join(', ')}`,
      closest === null ? 'Remove it, or install the release of stockroom that has this section' : `Did you mean "${closest}"?`,
    );
  }
}

async function readSections(path: string): Promise<Sections> {
  if (!existsSync(path)) return { daemon: {}, webhooks: {}, events: {} };
  let document: Partial<Record<keyof Sections, unknown>> | null;
  try {
    document = JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<keyof Sections, unknown>> | null;
  } catch (cause) {
    throw new DaemonError('USAGE', `${path} is not valid JSON: ${(cause as Error).message}`, { hint: 'Fix or remove the file', cause });
  }
  checkSectionNames(path, document);
  const readSection = async (name: keyof Sections): Promise<unknown> => {
    const section = document?.[name];
    // Most files only hold profiles; without this, every command would load the validator.
    if (section === undefined || section === null) return {};
    const { toJoi } = await import('../contract/schema/joi.ts');
    const result = toJoi(sections[name]).validate(section, { abortEarly: false, convert: false });
    if (result.error)
      throw usageError(
        `${path}: in "${name}", ${result.error.details.map((detail) => detail.message).join('; ')}`,
        'Fix or remove the file',
      );
    return result.value as unknown;
  };
  return {
    daemon: await readSection('daemon'),
    webhooks: await readSection('webhooks'),
    events: await readSection('events'),
  } as Sections;
}

const usageError = (message: string, hint?: string): DaemonError => new DaemonError('USAGE', message, { hint });

function createTemporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'stockroom-'));
  } catch (cause) {
    throw new DaemonError('DATA_DIRECTORY', `Cannot create a directory in ${tmpdir()}: ${(cause as Error).message}`, {
      hint: 'Choose another directory with TMPDIR',
      cause,
    });
  }
}
