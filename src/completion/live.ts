/** Values that only the service knows: asked for once, with little patience, and never with a word about what went wrong. */
import { adminTransport, daemonTransport, expectDaemon } from '../client/daemon.ts';
import { readConfig } from '../client/saved.ts';
import { type Target, findTarget } from '../client/target.ts';
import { type Transport, builtInTransport } from '../client/transport.ts';
import { API_KEY } from '../contract/headers.ts';
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Suggestion, Suggestions } from './suggest.ts';

/** The fields that tell a person which row it is, the best first. */
const TELLING = ['name', 'orderNumber', 'documentNumber', 'symbol', 'slug', 'email', 'sku', 'targetUrl', 'item', 'ingredient', 'supplier'];

/** What a row is called on the command line: a tenant by its slug, what has no id by its name. */
const CALLED_BY = ['slug', 'id', 'name'];

/** `words` are those of the command line: its `--profile`, `--url`, `--data-dir` and `--tenant` count. */
export async function liveValues(
  { source, params, head, typed }: NonNullable<Suggestions['live']>,
  words: readonly string[],
): Promise<Suggestion[]> {
  const flags = { profile: valueOf(words, 'profile'), url: valueOf(words, 'url'), dataDir: valueOf(words, 'data-dir') };
  const target = findTarget(flags, process.env, process.cwd());
  const path = source.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const query = new URLSearchParams({ page_size: String(PAGE_SIZE_MAX) });
  const tenant = valueOf(words, 'tenant') ?? target.tenant?.value;
  if (source.plane === 'admin' && tenant !== undefined) query.set('tenant', tenant);
  const transport = transportTo(target, source.plane);
  const headers = source.plane === 'service' && target.key !== undefined ? { [API_KEY]: target.key.value } : {};
  for (const asked of [`${path}?${String(query)}`, path]) {
    const reply = await transport({ method: 'GET', path: asked, headers });
    if (reply.status === 200)
      return rowsOf(reply.text)
        .map(({ id, about }) => ({ value: head + id, about }))
        .filter(({ value }) => value.startsWith(head + typed));
    // A list that is not paged knows no page_size, and some know no tenant.
    if (reply.status !== 400) break;
  }
  return [];
}

function transportTo({ local, daemon, dataDir, url }: Target, plane: 'service' | 'admin'): Transport {
  if (plane === 'admin') return adminTransport(expectDaemon(daemon, dataDir.value), dataDir.value);
  return local ? daemonTransport(expectDaemon(daemon, dataDir.value), dataDir.value) : builtInTransport({ url: url.value });
}

/** The saved profiles with where each leads to. */
export function profileNames({ head, typed }: NonNullable<Suggestions['profiles']>): Suggestion[] {
  return Object.entries(readConfig(process.env).profiles)
    .filter(([name]) => name.startsWith(typed))
    .map(([name, { url, dataDir }]) => ({ value: head + name, about: url ?? dataDir ?? '' }));
}

function rowsOf(text: string): { id: string; about: string }[] {
  const { data } = JSON.parse(text) as { data: readonly Readonly<Record<string, unknown>>[] };
  return data.flatMap((row) => {
    const id = CALLED_BY.map((field) => row[field]).find((value) => typeof value === 'string');
    const about = aboutOf(row);
    return id === undefined ? [] : [{ id, about: about === id ? '' : about }];
  });
}

function aboutOf(row: Readonly<Record<string, unknown>>): string {
  for (const field of TELLING) {
    const value = row[field];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'object' && value !== null && 'name' in value) return String(value.name);
  }
  return '';
}

function valueOf(words: readonly string[], flag: string): string | undefined {
  for (const [at, word] of words.entries()) {
    if (word === `--${flag}`) return words[at + 1];
    if (word.startsWith(`--${flag}=`)) return word.slice(flag.length + 3);
  }
  return undefined;
}
