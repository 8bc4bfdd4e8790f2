/** The daemon's settings: configuration file, then flags, checked once and frozen. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { snapshotName } from '../contract/admin/snapshots.ts';
import { tierName } from '../contract/admin/tiers.ts';
import { TIER_MAX_PER_MINUTE } from '../contract/limits.ts';
import { t } from '../contract/schema.ts';
import type { Infer } from '../contract/schema.ts';
import {
  DEFAULT_HOST,
  DEFAULT_PORT,
  type DaemonOptions,
  type Env,
  LOG_LEVELS,
  type LogLevel,
  configDirectory,
  dataDirectory,
} from '../contract/places.ts';
import { DaemonError } from './errors.ts';
import { type WebhookSettings, webhookSettings, webhooksSection } from './webhook-settings.ts';

export interface DaemonFlags extends DaemonOptions {
  readonly dataDir?: string;
  readonly demo?: boolean;
  readonly store?: string;
  /** Name of a snapshot of the data directory. */
  readonly snapshot?: string;
  /** Take this port or none; without it a port that is in use is passed over. */
  readonly exactPort?: boolean;
}

export interface DaemonConfig {
  readonly dataDir: string;
  /** The data directory is a temporary one that the daemon removes when it stops. */
  readonly ephemeral: boolean;
  readonly host: string;
  /** It was named, not taken by default. */
  readonly hostAsked: boolean;
  readonly port: number;
  readonly exactPort: boolean;
  readonly insecure: boolean;
  readonly testClock: boolean;
  /** As a daemon that is restarted left it. */
  readonly clockOffsetSeconds: number;
  /** The snapshot to begin from, instead of the data that are there. */
  readonly snapshot: string | undefined;
  readonly tiers: Readonly<Record<string, number>>;
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  readonly logLevelAsked: boolean;
  readonly webhooks: WebhookSettings;
  /** As it was given, for a restart. */
  readonly webhookRetries: string | undefined;
}

const PORT_MAX = 65_535;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|::1)$/u;

const port = () => t.int({ min: 0, max: PORT_MAX });

/** The section `daemon` of the configuration file. */
const fileSection = t.object({
  host: t.optional(t.string({ min: 1, max: 255 })),
  port: t.optional(port()),
  insecure: t.optional(t.bool()),
  testClock: t.optional(t.bool()),
  tiers: t.optional(t.map(t.int({ min: 1, max: TIER_MAX_PER_MINUTE }))),
  logLevel: t.optional(t.enums(LOG_LEVELS)),
});

/** The settings in force, or what is wrong with them. Makes the directory of an ephemeral daemon. */
export async function resolveConfig(flags: DaemonFlags, env: Env): Promise<DaemonConfig> {
  const { daemon: file, webhooks } = await readSections(join(configDirectory(env), 'config.json'));
  if (flags.store !== undefined) {
    throw usage(
      '--store is for a PostgreSQL store, which this release does not have yet',
      'leave it out: the data is kept in files in the data directory',
    );
  }
  if (flags.ephemeral && flags.dataDir !== undefined) {
    throw usage('--ephemeral makes a data directory of its own, so it does not go with --data-dir', 'use one of them');
  }
  const host = flags.host ?? file.host ?? DEFAULT_HOST;
  const insecure = flags.insecure ?? file.insecure ?? false;
  if (!LOOPBACK.test(host) && !insecure) {
    throw usage(
      `on ${host} others could reach the service and read keys on the wire, because it speaks plain HTTP`,
      'add --insecure if that is what you want, or leave --host out',
    );
  }
  const wanted = flags.port ?? file.port;
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 0 && wanted <= PORT_MAX))
    throw usage(`port must be a whole number from 0 to ${String(PORT_MAX)}`);
  const tiers = { ...file.tiers, ...flags.tiers };
  for (const [name, limit] of Object.entries(tiers)) checkTier(name, limit);
  return Object.freeze({
    dataDir: flags.ephemeral ? temporaryDirectory() : dataDirectory(env, flags.dataDir),
    ephemeral: flags.ephemeral ?? false,
    host,
    hostAsked: (flags.host ?? file.host) !== undefined,
    port: wanted ?? DEFAULT_PORT,
    // ours: a port of the configuration file is a wish like the default one; only --port insists.
    exactPort: flags.exactPort ?? flags.port !== undefined,
    insecure,
    testClock: flags.testClock ?? file.testClock ?? false,
    clockOffsetSeconds: flags.clockOffsetSeconds ?? 0,
    snapshot: flags.snapshot === undefined ? undefined : snapshotIn(flags.snapshot),
    tiers: Object.freeze(tiers),
    demo: flags.demo ?? false,
    logLevel: flags.logLevel ?? file.logLevel ?? 'info',
    logLevelAsked: (flags.logLevel ?? file.logLevel) !== undefined,
    webhooks: Object.freeze(webhookSettings(webhooks, flags.webhookRetries)),
    webhookRetries: flags.webhookRetries,
  });
}

/** `NAME=PER_MINUTE` of the flag --tier. */
export function parseTier(text: string): readonly [name: string, perMinute: number] {
  const [, name, limit] = /^([^=]+)=(\d+)$/u.exec(text) ?? [];
  if (name === undefined || limit === undefined) throw usage(`--tier ${text}: write NAME=PER_MINUTE, for example --tier bulk=6000`);
  checkTier(name, Number(limit));
  return [name, Number(limit)];
}

/** What a restart needs to start the same daemon again. */
export function optionsOf(config: DaemonConfig, boundPort: number): DaemonOptions {
  const { host, insecure, ephemeral, testClock, tiers, logLevel, webhookRetries } = config;
  const retries = webhookRetries === undefined ? {} : { webhookRetries };
  return { host, port: boundPort, insecure, ephemeral, testClock, tiers, logLevel, ...retries };
}

function snapshotIn(name: string): string {
  const { pattern = '', max = 0, hint = '' } = snapshotName();
  if (name.length <= max && new RegExp(pattern, 'u').test(name)) return name;
  throw usage(`the name of a snapshot is ${hint}, at most ${String(max)} characters`);
}

function checkTier(name: string, limit: number): void {
  const { pattern = '', max = 0, hint = '' } = tierName();
  if (name.length > max || !new RegExp(pattern, 'u').test(name))
    throw usage(`the tier name ${name} must be ${hint}, at most ${String(max)} characters`);
  if (!Number.isInteger(limit) || limit < 1 || limit > TIER_MAX_PER_MINUTE)
    throw usage(`the tier ${name} must allow a whole number of requests a minute from 1 to ${String(TIER_MAX_PER_MINUTE)}`);
}

const sections = { daemon: fileSection, webhooks: webhooksSection } as const;
type Sections = { readonly [K in keyof typeof sections]: Infer<(typeof sections)[K]> };

async function readSections(path: string): Promise<Sections> {
  if (!existsSync(path)) return { daemon: {}, webhooks: {} };
  let document: Partial<Record<keyof Sections, unknown>> | null;
  try {
    document = JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<keyof Sections, unknown>> | null;
  } catch (cause) {
    throw new DaemonError('usage', `${path} is not JSON: ${(cause as Error).message}`, { hint: 'correct it or remove it', cause });
  }
  const checked = async (name: keyof Sections): Promise<unknown> => {
    const given = document?.[name];
    // Most files hold profiles alone, and every command that looks at the daemon would pay for loading the validator.
    if (given === undefined || given === null) return {};
    const { toJoi } = await import('../contract/joi.ts');
    const result = toJoi(sections[name]).validate(given, { abortEarly: false, convert: false });
    if (result.error)
      throw usage(`${path}: in "${name}", ${result.error.details.map((detail) => detail.message).join('; ')}`, 'correct it or remove it');
    return result.value as unknown;
  };
  return { daemon: await checked('daemon'), webhooks: await checked('webhooks') } as Sections;
}

const usage = (message: string, hint?: string): DaemonError => new DaemonError('usage', message, hint === undefined ? {} : { hint });

function temporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'stockroom-'));
  } catch (cause) {
    throw new DaemonError('data_directory', `no directory can be made in ${tmpdir()}: ${(cause as Error).message}`, {
      hint: 'choose another place with TMPDIR',
      cause,
    });
  }
}
