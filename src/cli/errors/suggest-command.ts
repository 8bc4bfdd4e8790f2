/** Suggests a command for words that are none: the nearest meaning for the same kind of record, never a command for another. */
import { findClosestMatch } from '../../contract/schema/closest-match.ts';

/** Verbs of other command lines → the verbs here, the first that the topic has. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ...repeat(['add', 'new', 'insert', 'make', 'register'], ['create', 'add', 'invite', 'set', 'save', 'adjust']),
  ...repeat(['change', 'modify', 'set', 'patch', 'edit', 'rename'], ['update', 'edit', 'set']),
  ...repeat(['describe', 'read', 'info', 'details', 'inspect', 'cat', 'get', 'show', 'view'], ['get', 'show', 'list']),
  ...repeat(['del', 'destroy', 'erase', 'drop', 'remove', 'delete', 'rm'], ['delete', 'remove', 'revoke', 'clear', 'adjust', 'cancel']),
  ...repeat(['all', 'index', 'find', 'search', 'query', 'list', 'ls'], ['list']),
  ...repeat(['watch', 'follow', 'log', 'stream'], ['tail', 'logs', 'listen', 'list']),
  ...repeat(['confirm', 'reopen'], ['open']),
  ...repeat(['deliver', 'fulfil', 'fulfill', 'pack'], ['ship']),
  ...repeat(['close', 'finish'], ['complete']),
  ...repeat(['move'], ['transfer']),
  ...repeat(['correct'], ['adjust', 'update']),
};

export const isVerb = (word: string): boolean => Object.hasOwn(VERBS, word);

/** Names of other systems → the topics here. */
const NOUNS: Readonly<Record<string, string>> = {
  ...repeat(['product', 'products', 'article', 'articles', 'material', 'materials', 'sku', 'skus'], 'items'),
  ...repeat(['customer', 'customers', 'supplier', 'suppliers', 'vendor', 'vendors', 'company', 'companies'], 'contacts'),
  ...repeat(['sales', 'purchases', 'po', 'so'], 'orders'),
  ...repeat(['warehouse', 'warehouses', 'location', 'locations'], 'sites'),
  ...repeat(['bom', 'boms', 'recipe', 'recipes', 'ingredients'], 'items ingredients'),
  ...repeat(['levels', 'level'], 'stock levels'),
  ...repeat(['documents', 'receipts', 'transfers', 'counts'], 'stock documents'),
  ...repeat(['hook', 'hooks', 'endpoints'], 'webhooks'),
  deliveries: 'webhooks deliveries',
  inventory: 'stock',
  ...repeat(['token', 'tokens'], 'keys'),
  ...repeat(['backups'], 'snapshot'),
  ...repeat(['log', 'logs'], 'daemon'),
};

/** Verbs without a topic → the command. */
const ALONE: Readonly<Record<string, string>> = {
  backup: 'snapshot save',
  export: 'items export',
  import: 'items import',
  receive: 'orders receive',
  ship: 'orders ship',
  transfer: 'stock transfer',
  count: 'stock count',
  reorder: 'stock reorder',
  serve: 'daemon start',
};

function repeat<V>(words: readonly string[], value: V): Record<string, V> {
  return Object.fromEntries(words.map((word) => [word, value]));
}

/** `known`: commands and topics. Returns undefined for words without any meaning here. */
export function suggestCommand(typed: string, known: readonly string[]): string | undefined {
  const words = typed.split(' ');
  const first = words[0] ?? '';
  const alone = Object.hasOwn(ALONE, first) ? ALONE[first] : undefined;
  // `get items`, as kubectl has it.
  const verb = words.length === 2 && first === 'get' ? 'list' : first;
  const found = suggestFor(words, known) ?? alone ?? (words.length > 1 ? suggestFor([words[1] ?? '', verb], known) : undefined);
  return found ?? findClosestMatch(first, [...new Set(known.map((name) => name.split(' ')[0] ?? ''))]) ?? undefined;
}

/** Words that begin with a topic, or with what may mean one. */
function suggestFor(words: readonly string[], known: readonly string[]): string | undefined {
  const [first = '', second = '', ...others] = words;
  const topic = findTopic(first, known);
  if (topic === undefined) return undefined;
  const nested = second === '' ? undefined : findTopic(`${topic} ${second}`, known);
  const [owner, verb = ''] = nested === undefined ? [topic, second] : [nested, others[0]];
  const verbs = known.flatMap((name) => (name.startsWith(`${owner} `) ? [name.slice(owner.length + 1)] : []));
  const preset = verbs.includes('list') ? `${owner} list` : owner;
  if (verb === '' || verb.startsWith('-')) return preset;
  const meant = isVerb(verb) ? VERBS[verb]?.find((each) => verbs.includes(each)) : undefined;
  const exact = verbs.includes(verb) ? verb : undefined;
  // A word with another meaning is no typing error: `get` does not mean `set`.
  const chosen = exact ?? meant ?? (isVerb(verb) ? null : findClosestMatch(verb, verbs));
  return chosen === null ? owner : `${owner} ${chosen}`;
}

/** The topic with this name, with one that means the same, or with the closest one. */
function findTopic(name: string, known: readonly string[]): string | undefined {
  const topics = [...new Set(known.flatMap((each) => (each.includes(' ') ? [each.slice(0, each.lastIndexOf(' '))] : [])))];
  if (topics.includes(name)) return name;
  if (Object.hasOwn(NOUNS, name)) return NOUNS[name];
  const owner = name.slice(0, name.lastIndexOf(' ') + 1);
  const others = topics.filter((topic) => topic.startsWith(owner) && !topic.slice(owner.length).includes(' '));
  // A command is no spelling of a topic.
  return known.includes(name) ? undefined : (findClosestMatch(name, others) ?? undefined);
}
