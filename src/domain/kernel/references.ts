/** What refers to a record: counted by kind, and some of it named, so that an error says where to look. D-20. */
import { REFERENCE_EXAMPLES_MAX, formatReferences } from '../../contract/record-references.ts';
import type { ReadTx } from '../tables.ts';
import { StockroomError } from './errors.ts';
import type { Condition, ReadTable, Row } from './ports.ts';
import { getReferencedRows } from './rows.ts';

export interface Reference {
  readonly count: number;
  /** What some of the records are called; only needed for the error. */
  readonly findNames?: () => readonly string[] | Promise<readonly string[]>;
}

/** Several lines of one order have the same name. */
const NAMED_ROWS_MAX = 50;

export const countReferences = async <R extends Row>(
  table: ReadTable<R>,
  where: readonly Condition[],
  getNames: (rows: readonly R[]) => readonly string[] | Promise<readonly string[]>,
): Promise<Reference> => ({
  count: await table.count({ where }),
  findNames: async () => getNames((await table.listAfter({ where, limit: NAMED_ROWS_MAX })).rows),
});

/** References of one kind that two queries find. */
export const joinReferences = (first: Reference, second: Reference): Reference => ({
  count: first.count + second.count,
  findNames: async () => [...((await first.findNames?.()) ?? []), ...((await second.findNames?.()) ?? [])],
});

/** Throws 409 if anything refers to the record. `references`: by kind, a plural in camel case: `orderLines`. */
export async function checkUnreferenced(what: string, references: Readonly<Record<string, Reference>>, hint: string): Promise<void> {
  const found = Object.entries(references).filter(([, { count }]) => count > 0);
  if (found.length === 0) return;
  const counts = Object.fromEntries(found.map(([kind, { count }]) => [kind, count]));
  const examples: Record<string, readonly string[]> = {};
  for (const [kind, { findNames }] of found) {
    const names = [...new Set(await findNames?.())].slice(0, REFERENCE_EXAMPLES_MAX);
    if (names.length > 0) examples[kind] = names;
  }
  throw new StockroomError('RESOURCE_IN_USE', `The ${what} is in use by ${formatReferences(counts, examples)}. ${hint}`, {
    details: { references: counts, ...(Object.keys(examples).length > 0 && { examples }) },
  });
}

export const getItemNames = (rows: readonly { readonly sku: string | null; readonly name: string }[]): string[] =>
  rows.map(({ sku, name }) => sku ?? name);
export const getNames = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name);
export const getOrderNumbers = (rows: readonly { readonly orderNumber: string }[]): string[] => rows.map(({ orderNumber }) => orderNumber);
export const getDocumentNumbers = (rows: readonly { readonly documentNumber: string }[]): string[] =>
  rows.map(({ documentNumber }) => documentNumber);

/** What the records are called that rows belong to. */
export const nameOwners = ({ items, orders, stockDocuments }: Pick<ReadTx, 'items' | 'orders' | 'stockDocuments'>) => ({
  getItems: async (rows: readonly { readonly itemId: string }[]) =>
    getItemNames([...(await getReferencedRows(items, rows, ({ itemId }) => itemId)).values()]),
  getOrders: async (rows: readonly { readonly orderId: string }[]) =>
    getOrderNumbers([...(await getReferencedRows(orders, rows, ({ orderId }) => orderId)).values()]),
  getDocuments: async (rows: readonly { readonly documentId: string }[]) =>
    getDocumentNumbers([...(await getReferencedRows(stockDocuments, rows, ({ documentId }) => documentId)).values()]),
});
