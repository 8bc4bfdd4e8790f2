/** The command after `:`: `q`, the name of a tab, with text to filter by, or of a resource, with the name of a record. */
import { type Tab, TABS } from './model.ts';

export const RECORD_KINDS = ['items', 'orders', 'contacts', 'documents'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface JumpTarget {
  readonly kind: RecordKind;
  /** SKU, number, name, e-mail address or id. */
  readonly name: string;
}

export type Jump = { readonly quit: true } | { readonly tab: Tab; readonly filter: string } | JumpTarget | { readonly problem: string };

const WORDS = [...new Set<string>([...TABS, ...RECORD_KINDS])];
const ORDER_NUMBER = /^[a-z]o-\d+$/iu;

/** As in vim. */
const QUIT = /^q(?:uit)?!?$/u;

/** A name may be shortened as long as it is not ambiguous. */
export function parseJump(text: string): Jump {
  const [word = '', ...rest] = text.trim().split(/\s+/u);
  if (rest.length === 0 && QUIT.test(word)) return { quit: true };
  const name = rest.join(' ');
  const found = WORDS.filter((candidate) => candidate.startsWith(word.toLowerCase()));
  // The default numbers of orders: SO-000012, PO-000003.
  if (rest.length === 0 && ORDER_NUMBER.test(word)) return { kind: 'orders', name: word };
  const exact = found.find((candidate) => candidate === word.toLowerCase());
  const chosen = exact ?? (found.length === 1 ? found[0] : undefined);
  if (word === '' || chosen === undefined) return { problem: `Type : and one of ${WORDS.join(', ')}` };
  const tab = TABS.find((candidate) => candidate === chosen);
  const kind = RECORD_KINDS.find((candidate) => candidate === chosen);
  // Items and orders are both.
  if (kind !== undefined && name !== '') return { kind, name };
  return tab === undefined ? { problem: `Type :${chosen} and a name, such as :orders SO-000012` } : { tab, filter: name };
}
