/** Workbooks: the first sheet is read as CSV, and an export writes one sheet. The packages are loaded only for these. */
import { statSync } from 'node:fs';
import { explainReadError, explainWriteError } from '../../../client/settings/file-errors.ts';
import { replaceFile } from '../../../platform/own-files.ts';
import { usageError } from '../../errors/failure.ts';
import { toPlainText } from '../../output/fields.ts';
import { toCsvLine } from '../../output/formats.ts';
import { type Spool, spoolRows } from './stdin-spool.ts';

/** A workbook is held in memory. */
const WORKBOOK_MAX_BYTES = 64 * 1_024 * 1_024;
export const WORKBOOK_MAX_ROWS = 50_000;

export const isWorkbook = (path: string): boolean => /\.xlsx$/iu.test(path);

/** Saves the first sheet as CSV, with one line for each row. */
export async function spoolWorkbook(path: string): Promise<Spool> {
  const rows = await readRows(path);
  const spool = await spoolRows((file) => file.writeFile(rows.map((row) => `${toCsvLine(row.map(toCell))}\n`).join('')));
  return { ...spool, format: 'csv' };
}

async function readRows(path: string): Promise<readonly (readonly unknown[])[]> {
  try {
    if (statSync(path).size > WORKBOOK_MAX_BYTES) throw usageError(`${path} is too large for a workbook`, 'Save the sheet as CSV');
  } catch (error) {
    throw error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('E')
      ? usageError(`Cannot read ${path}: ${explainReadError(error)}`)
      : error;
  }
  const { readSheet } = await import('read-excel-file/node');
  try {
    return await readSheet(path, { trim: false });
  } catch (cause) {
    throw usageError(`${path} is not a workbook that can be read`, `Save the sheet as CSV (${(cause as Error).message})`);
  }
}

/** Dates without a time are days. */
function toCell(value: unknown): unknown {
  if (!(value instanceof Date)) return value;
  return value.toISOString().replace(/T00:00:00\.000Z$/u, '');
}

/** Writes a sheet; the file appears when it is complete. */
export async function writeWorkbook(path: string, rows: readonly (readonly unknown[])[]): Promise<void> {
  const { default: writeSheet } = await import('write-excel-file/node');
  const cells = rows.map((row) => row.map((value) => (value === null || value === undefined ? null : toTypedCell(value))));
  const content = await writeSheet(cells).toBuffer();
  try {
    replaceFile(path, content);
  } catch (error) {
    throw usageError(`Cannot write ${path}: ${explainWriteError(error)}`);
  }
}

/** Texts stay texts, also those that look like numbers. */
const toTypedCell = (value: unknown) =>
  typeof value === 'number'
    ? { value, type: Number }
    : typeof value === 'boolean'
      ? { value, type: Boolean }
      : { value: toPlainText(value), type: String, format: '@' };
