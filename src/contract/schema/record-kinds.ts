/** The kinds of records that ids refer to, with the fields whose values name a record. Their lists are in `record-lists.ts`. */

interface RecordNames {
  /** Singular, as in messages. */
  readonly noun: string;
  /** Paths of the fields in a row of the list → terms for them. */
  readonly fields: Readonly<Record<string, string>>;
  /** More fields in which records of the same name differ. */
  readonly distinguishing?: readonly string[];
  /** Names that the service accepts like ids. */
  readonly accepted?: RegExp;
}

export const RECORD_KINDS = {
  item: { noun: 'item', fields: { sku: 'SKU', name: 'name' } },
  contact: { noun: 'contact', fields: { name: 'name', email: 'e-mail', company: 'company' } },
  order: { noun: 'order', fields: { orderNumber: 'number' } },
  orderLine: { noun: 'order line', fields: { lineNumber: 'number' } },
  stockDocument: { noun: 'stock document', fields: { documentNumber: 'number' } },
  stockLine: { noun: 'line', fields: { lineNumber: 'number', 'item.sku': 'SKU', 'item.name': 'item name' } },
  ingredient: { noun: 'ingredient', fields: { 'ingredient.sku': 'SKU', 'ingredient.name': 'name' } },
  site: { noun: 'site', fields: { code: 'code', name: 'name' } },
  category: { noun: 'category', fields: { name: 'name' } },
  unit: { noun: 'unit', fields: { symbol: 'symbol', name: 'name' } },
  user: { noun: 'user', fields: { email: 'e-mail', name: 'name' } },
  webhook: { noun: 'endpoint', fields: { name: 'name' } },
  key: {
    noun: 'key',
    fields: { prefix: 'prefix', name: 'name' },
    distinguishing: ['status', 'createdAt'],
    accepted: /^pk_(?:test|live)_/u,
  },
  app: { noun: 'application', fields: { clientId: 'client id', name: 'name' }, accepted: /^app_/u },
} as const satisfies Readonly<Record<string, RecordNames>>;

export type RecordKind = keyof typeof RECORD_KINDS;

export const getRecordNames = (kind: RecordKind): RecordNames => RECORD_KINDS[kind];

/** The terms for the names of a kind: `SKU or name`, `name, e-mail or company`. */
export const formatNameTerms = (kind: RecordKind): string => formatAlternatives(Object.values(RECORD_KINDS[kind].fields));

/** `A`, `A or B`, `A, B or C`. */
export const formatAlternatives = (texts: readonly string[]): string =>
  [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' or ');
