/** Settings for daemons in variables and in the configuration file, as they are written there: a start of a daemon validates them. */
import type { Env } from '../../platform/local-paths.ts';
import { getConfigFile, readConfig } from './profiles.ts';
import type { Setting } from './target.ts';

const VARIABLES = { publicUrl: 'STOCKROOM_PUBLIC_URL', cors: 'STOCKROOM_CORS', trustProxy: 'STOCKROOM_TRUST_PROXY' } as const;

const SECTIONS = ['daemon', 'webhooks', 'events'] as const;

/** Those that are set, by section and name: `webhooks.allowSubnets`. A variable overrides the file. */
export function readDaemonSettings(env: Env): ReadonlyMap<string, Setting<string>> {
  const config = readConfig(env) as Readonly<Partial<Record<(typeof SECTIONS)[number], object | null>>>;
  const settings = new Map<string, Setting<string>>();
  for (const section of SECTIONS)
    for (const [name, value] of Object.entries(config[section] ?? {}))
      settings.set(`${section}.${name}`, { value: toText(value), origin: getConfigFile(env) });
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value) settings.set(`daemon.${name}`, { value, origin: variable });
  }
  return settings;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
