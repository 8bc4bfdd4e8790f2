/** Document numbers (D-4): one counter per type, incremented in the commit of the document. Deleting a draft leaves a gap. */
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { takeNextNumber } from '../kernel/counters.ts';
import type { Context } from '../kernel/context.ts';
import type { Tx } from '../tables.ts';

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

/** The next document number of the type. Skips numbers taken by another type with the same prefix. */
export async function nextDocumentNumber(tx: Tx, context: Context, type: DocumentType): Promise<string> {
  const prefix = context.tenant.numberPrefixes[type] ?? PREFIXES[type];
  for (;;) {
    const counter = await takeNextNumber(tx, `stockDocuments.${type}`);
    const number = prefix + String(counter).padStart(MIN_DIGITS, '0');
    if (!(await tx.stockDocuments.findUnique('number', number))) return number;
  }
}
