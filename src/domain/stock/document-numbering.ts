/** Document numbers (D-4): one counter per type, incremented in the commit of the document. Deleting a draft leaves a gap. */
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { getNextNumber, takeNextNumber } from '../counters/counters.ts';
import type { Context } from '../kernel/context.ts';
import type { ReadTx, Tx } from '../tables.ts';

const PREFIXES: Readonly<Record<DocumentType, string>> = {
  receipt: 'RC-',
  issue: 'IS-',
  transfer: 'TR-',
  adjustment: 'AD-',
  count: 'CN-',
  production: 'PR-',
  revaluation: 'RV-',
};
const MIN_DIGITS = 6;

const toCounter = (type: DocumentType): string => `stockDocuments.${type}`;

const formatNumber = ({ tenant }: Context, type: DocumentType, counter: number): string =>
  (tenant.numberPrefixes[type] ?? PREFIXES[type]) + String(counter).padStart(MIN_DIGITS, '0');

/** The next document number of the type. Skips numbers taken by another type with the same prefix. */
export async function nextDocumentNumber(tx: Tx, context: Context, type: DocumentType): Promise<string> {
  for (;;) {
    const number = formatNumber(context, type, await takeNextNumber(tx, toCounter(type)));
    if (!(await tx.stockDocuments.findUnique('number', number))) return number;
  }
}

/** Before many documents are created: looks up their numbers together, for a store that would need a round trip for each. */
export async function loadNextDocumentNumbers(tx: ReadTx, context: Context, type: DocumentType, count: number): Promise<void> {
  const first = await getNextNumber(tx, toCounter(type));
  const numbers = Array.from({ length: count }, (_, at) => [formatNumber(context, type, first + at)]);
  await tx.stockDocuments.findUniqueIds('number', numbers);
}
