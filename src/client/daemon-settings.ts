/** Settings for daemons in variables and in the configuration file, as they are written there: a start of a daemon validates them. */
import type { Env } from '../platform/local-paths.ts';
import { getConfigFile, readConfig } from './profiles.ts';
import type { Setting } from './target.ts';

const VARIABLES = { publicUrl: 'STOCKROOM_PUBLIC_URL', trustProxy: 'STOCKROOM_TRUST_PROXY' } as const;

/** Those that are set, by name. A variable overrides the file. */
export function readDaemonSettings(env: Env): ReadonlyMap<string, Setting<string>> {
  const { daemon } = readConfig(env) as { readonly daemon?: unknown };
  const section = typeof daemon === 'object' && daemon !== null ? Object.entries(daemon) : [];
  const settings = new Map(section.map(([name, value]) => [name, { value: toText(value), origin: getConfigFile(env) }]));
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value) settings.set(name, { value, origin: variable });
  }
  return settings;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
