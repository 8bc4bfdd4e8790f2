/** What `webhooks listen` remembers between two runs: a file, appended to, so that a kill loses nothing that was written. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EVENT_LOG_MAX_ROWS } from '../contract/limits.ts';
import { type Env, configDirectory } from '../contract/places.ts';

export interface Memory {
  /** The endpoint of the last run, when that was killed. */
  readonly endpoint: string | null;
  /** Since when every event has been handled or is still to come. */
  readonly since: string;
  /** By event; by delivery where only deliveries are told. */
  has(id: string): boolean;
  add(id: string): void;
  begin(endpoint: string | null, since: string): void;
}

/** One line for the run and one for each handled event. `name` tells the memory of one profile and service from that of another. */
export function openMemory(env: Env, name: string, goOn: boolean): Memory {
  const path = join(configDirectory(env), `listen-${name}.ndjson`);
  let lines: string[] = [];
  try {
    lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const [head, ...ids] = lines;
  let state = { endpoint: null as string | null, since: '' };
  if (head !== undefined) state = JSON.parse(head) as typeof state;
  const handled = new Set(goOn ? ids.slice(-EVENT_LOG_MAX_ROWS) : []);
  const known = goOn && state.since !== '';
  return {
    get endpoint() {
      return state.endpoint;
    },
    get since() {
      return state.since;
    },
    has: (eventId) => handled.has(eventId),
    add(eventId) {
      handled.add(eventId);
      appendFileSync(path, `${eventId}\n`);
    },
    begin(endpoint, since) {
      state = { endpoint, since: known ? state.since : since };
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${[JSON.stringify(state), ...handled].join('\n')}\n`, { mode: 0o600 });
    },
  };
}
