/** Suggested values that are read from the service. Errors are never reported: a shell is waiting. */
import { createAdminTransport, createDaemonTransport, requireDaemonState } from '../client/transport/daemon-transport.ts';
import { readConfig } from '../client/settings/profiles.ts';
import { type Target, resolveTarget } from '../client/settings/target.ts';
import { type Transport, createHttpTransport } from '../client/transport/transport.ts';
import { API_KEY } from '../contract/headers.ts';
import { PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Suggestion, Suggestions } from './suggest.ts';

/** Fields that describe a row, the best first. */
const LABEL_FIELDS = [
  'name',
  'orderNumber',
  'documentNumber',
  'symbol',
  'slug',
  'email',
  'sku',
  'targetUrl',
  'item',
  'ingredient',
  'supplier',
];

/** Fields that identify a row on the command line, the best first. */
const IDENTIFIER_FIELDS = ['slug', 'id', 'name'];

/** Reads the rows of a list. `words`: the command line, whose `--profile`, `--url`, `--data-dir` and `--tenant` select the service. */
export async function fetchLiveValues(
  { source, params, head, typed }: NonNullable<Suggestions['live']>,
  words: readonly string[],
): Promise<Suggestion[]> {
  const flags = { profile: getFlagValue(words, 'profile'), url: getFlagValue(words, 'url'), dataDir: getFlagValue(words, 'data-dir') };
  const target = resolveTarget(flags, process.env, process.cwd());
  // Others may have written the project file, and nothing is sent to them while a command is only typed.
  if (target.isFromProjectFile && !target.isLocal) return [];
  const path = source.path.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const query = new URLSearchParams({ page_size: String(PAGE_SIZE_MAX) });
  const tenant = getFlagValue(words, 'tenant') ?? target.tenant?.value;
  if (source.plane === 'admin' && tenant !== undefined) query.set('tenant', tenant);
  const transport = createTransport(target, source.plane);
  const headers = source.plane === 'service' && target.key !== undefined ? { [API_KEY]: target.key.value } : {};
  for (const requestPath of [`${path}?${String(query)}`, path]) {
    const reply = await transport({ method: 'GET', path: requestPath, headers });
    if (reply.status === 200)
      return parseRows(reply.text)
        .map(({ id, label }) => ({ value: head + id, description: label }))
        .filter(({ value }) => value.startsWith(head + typed));
    // Some lists have no parameter page_size or tenant.
    if (reply.status !== 400) break;
  }
  return [];
}

function createTransport({ isLocal, daemon, dataDir, url }: Target, plane: 'service' | 'admin'): Transport {
  if (plane === 'admin') return createAdminTransport(requireDaemonState(daemon, dataDir.value));
  if (isLocal) return createDaemonTransport(requireDaemonState(daemon, dataDir.value));
  return createHttpTransport({ url: url.value });
}

/** Suggests the saved profiles with their URLs or data directories. */
export function suggestProfiles({ head, typed }: NonNullable<Suggestions['profiles']>): Suggestion[] {
  return Object.entries(readConfig(process.env).profiles)
    .filter(([name]) => name.startsWith(typed))
    .map(([name, { url, dataDir }]) => ({ value: head + name, description: url ?? dataDir ?? '' }));
}

function parseRows(text: string): { id: string; label: string }[] {
  const { data } = JSON.parse(text) as { data: readonly Readonly<Record<string, unknown>>[] };
  return data.flatMap((row) => {
    const id = IDENTIFIER_FIELDS.map((field) => row[field]).find((value) => typeof value === 'string');
    const label = getLabel(row);
    return id === undefined ? [] : [{ id, label: label === id ? '' : label }];
  });
}

function getLabel(row: Readonly<Record<string, unknown>>): string {
  for (const field of LABEL_FIELDS) {
    const value = row[field];
    // The company is a name of a contact, too.
    if (typeof value === 'string' && value !== '') return [value, row['company']].filter(Boolean).join(', ');
    if (typeof value === 'object' && value !== null && 'name' in value) return String(value.name);
  }
  return '';
}

function getFlagValue(words: readonly string[], flag: string): string | undefined {
  for (const [at, word] of words.entries()) {
    if (word === `--${flag}`) return words[at + 1];
    if (word.startsWith(`--${flag}=`)) return word.slice(flag.length + 3);
  }
  return undefined;
}
