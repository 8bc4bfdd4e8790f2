/** Document numbers (D-4): one counter per type, advanced in the same commit as the document it names. Deleting a draft leaves a gap. */
import type { DocumentType } from '../contract/stock-documents.ts';
import { nextNumber } from './changes.ts';
import type { Context } from './context.ts';
import type { Tx } from './tables.ts';

const PREFIXES: Readonly<Record<DocumentType, string>> = {
  receipt: 'RC-',
  issue: 'IS-',
  transfer: 'TR-',
  adjustment: 'AD-',
  count: 'CN-',
  production: 'PR-',
};
const LEAST_DIGITS = 6;

/** The next free number of the type. One that another type has taken, because prefixes were set alike, is skipped. */
export async function nextDocumentNumber(tx: Tx, context: Context, type: DocumentType): Promise<string> {
  const prefix = context.tenant.numberPrefixes[type] ?? PREFIXES[type];
  for (;;) {
    const counted = await nextNumber(tx, `stockDocuments.${type}`);
    const number = prefix + String(counted).padStart(LEAST_DIGITS, '0');
    if (!(await tx.stockDocuments.find('number', number))) return number;
  }
}
