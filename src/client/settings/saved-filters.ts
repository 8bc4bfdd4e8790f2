/** Filters of the dashboard that are saved in the section `dashboard` of `config.json`, each with a name and a key. */
import { UnreadableFile, getConfigFile, readConfig } from './profiles.ts';
import type { Env } from '../../platform/local-paths.ts';

export interface SavedFilter {
  /** One character, typed after `F`. */
  readonly key: string;
  readonly name: string;
  /** The tab that it is for. */
  readonly tab: string;
  readonly query: string;
}

const EXAMPLE = '{"key": "w", "name": "Warehouse errors", "tab": "deliveries", "query": "endpoint:Warehouse http:5xx"}';

/** Throws UnreadableFile if the section is not a list of filters with different keys. `tabs`: the tabs that there are. */
export function readSavedFilters(env: Env, tabs: readonly string[]): readonly SavedFilter[] {
  const { dashboard } = readConfig(env) as { readonly dashboard?: { readonly filters?: unknown } };
  const filters = dashboard?.filters ?? [];
  const fail = (problem: string): never => {
    throw new UnreadableFile(getConfigFile(env), `"dashboard.filters" ${problem}`);
  };
  if (!Array.isArray(filters)) return fail(`must be a list, such as [${EXAMPLE}]`);
  const keys = new Set<string>();
  return (filters as readonly unknown[]).map((each, index): SavedFilter => {
    const at = `entry ${String(index + 1)}`;
    const { key, name, tab = 'deliveries', query } = (each ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof key !== 'string' || !/^[^\s\p{Control}]$/u.test(key)) return fail(`${at}: "key" must be one character, such as ${EXAMPLE}`);
    if (keys.has(key)) return fail(`${at}: another entry has the key ${key}`);
    if (typeof name !== 'string' || typeof query !== 'string') return fail(`${at}: "name" and "query" must be strings, such as ${EXAMPLE}`);
    if (typeof tab !== 'string' || !tabs.includes(tab)) return fail(`${at}: "tab" must be one of ${tabs.join(', ')}`);
    keys.add(key);
    return { key, name, tab, query };
  });
}
