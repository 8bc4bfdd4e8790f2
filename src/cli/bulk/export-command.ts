/** Commands that export all records of a kind, to stdout or to a file that appears when it is complete. */
import { type Command, Flags, type Interfaces } from '@oclif/core';
import { type Batch, iterateBatches } from '../../client/lists/batches.ts';
import type { LooseParts } from '../../client/request.ts';
import type { Operation } from '../../contract/operation.ts';
import { defineCommand } from '../command/define-command.ts';
import { usageError } from '../errors/failure.ts';
import { preferSmallHeap } from '../heap-limits.ts';
import { listFilters, queryFlags } from '../input/operation-flags.ts';
import { createReader, getValueAt, parseColumns } from '../output/fields.ts';
import { pickFields, toCsvLine } from '../output/formats.ts';
import { formatCount, formatCountWithNoun } from '../output/numbers.ts';
import type { Output } from '../command-output.ts';
import { getView, resolveInstants, toRequestParts } from '../records/request.ts';
import { type ApiContext, apiAccess } from '../session/api-session.ts';
import { type ExportFile, openExport } from './files/export-file.ts';
import type { Export, ExportSource } from './exports.ts';
import { watchInterrupts } from '../session/interrupt.ts';
import { type ProgressOptions, createProgress } from './progress.ts';
import { BULK_FORMATS, type BulkFormat, detectFormat } from './rows/records.ts';
import { createReferences } from './rows/references.ts';
import { WORKBOOK_MAX_ROWS, isWorkbook, writeWorkbook } from './files/xlsx.ts';

/** Minimum time between checkpoints, each of which waits for the disk. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/** Extensions of formats that exports do not support. */
const UNSUPPORTED_EXTENSION = /\.(?:json|ya?ml|tsv|xls|ods|xml|html?|parquet|gz|zip)$/iu;

/** The command that exports a kind of record. */
export const exportCommand = (exported: Export, examples: readonly string[], summary?: string): typeof Command =>
  defineCommand({
    access: apiAccess,
    summary: summary ?? `Export ${exported.plural} to CSV${exported.isCsvOnly === true ? '' : ', NDJSON'} or XLSX`,
    description: `With --out, the file is created when the export is complete; --resume continues an interrupted one. ${exported.importNote ?? 'An import reads it back.'}`,
    ...(exported.argument && { args: exported.argument.args }),
    // Exports have an order of their own.
    flags: { ...queryFlags(listFilters(exported.list, ['sort', ...(exported.without ?? [])])), ...exportFlags },
    examples,
    run: (context) => exportRecords(context, exported, context.flags),
  });

const exportFlags = {
  format: Flags.option({
    options: BULK_FORMATS,
    description: 'File format. Default: by the extension of FILE (.csv, .ndjson or .xlsx), else csv.',
    exclusive: ['json', 'output'],
  })(),
  out: Flags.string({
    helpValue: 'FILE',
    description: 'Write to a file, created when the export is complete.',
    exclusive: ['json', 'output'],
  }),
  resume: Flags.boolean({ description: 'Continue an interrupted export to FILE.', dependsOn: ['out'] }),
};

async function exportRecords(context: ApiContext, exported: Export, flags: Interfaces.InferredFlags<typeof exportFlags>): Promise<void> {
  const { output, session } = context;
  const { list, plural, isCsvOnly = false } = exported;
  const { format, out, resume } = flags;
  const toWorkbook = out !== undefined && format === undefined && isWorkbook(out);
  if (!toWorkbook) preferSmallHeap();
  if (toWorkbook && resume) throw usageError('--resume requires a CSV or NDJSON file');
  const fields = [...new Set([...exported.columns, ...getView(list).fields])];
  if (out === '') throw usageError('--out must not be empty');
  if (out !== undefined && format === undefined && UNSUPPORTED_EXTENSION.test(out))
    throw usageError(`Unsupported file extension: ${out}`, 'Use .csv, .ndjson or .xlsx, or choose the format with --format');
  const fileFormat = format ?? (out === undefined ? undefined : detectFormat(out)) ?? 'csv';
  const isCsv = output.isFormatChosen ? output.format === 'csv' : fileFormat === 'csv';
  if (output.isCsvSafe && !isCsv) throw usageError('--csv-safe requires --format csv');
  if (isCsvOnly && fileFormat !== 'csv') throw usageError(`${plural} are exported as CSV`);
  const references = createReferences(session);
  const columns = output.columns === undefined ? exported.columns : parseColumns(output.columns, fields);
  const filtered = { ...context, flags: { ...context.flags, ...exported.argument?.toFilters(context.args, context.flags) } };
  const parts = await toRequestParts(await resolveInstants(filtered, list), list);
  const client = await session.connect();
  const hasCells = output.columns !== undefined || ['csv', 'table', 'tsv'].includes(output.isFormatChosen ? output.format : fileFormat);
  const read = (start: Batch['cursor']) => readBatches(exported, parts, { client, references, hasCells }, start);
  if (out === undefined) {
    const printed = output.isFormatChosen ? output : output.withFormat(fileFormat);
    await printed.printPages(read(null), { ...getView(list, columns), fields });
    return;
  }
  if (toWorkbook) return writeSheet(output, read(null), { path: out, plural, columns });
  const file = await openExport(out, () => readFingerprint(filtered, list, fileFormat, columns), resume);
  const toLine = createLineFormat(fileFormat, columns, output);
  if (fileFormat === 'csv' && file.start === null) await file.write(`${toCsvLine(columns, output.isCsvSafe)}\n`);
  await writeRows(output, file, { path: out, exported, batches: read(file.start), toLine });
}

/** Writes a workbook, which is held in memory. */
async function writeSheet(
  output: Output,
  batches: AsyncIterable<ExportBatch>,
  { path, plural, columns }: { readonly path: string; readonly plural: string; readonly columns: readonly string[] },
): Promise<void> {
  const rows: (readonly unknown[])[] = [columns];
  let count = 0;
  for await (const batch of batches) {
    count += batch.count;
    rows.push(...batch.rows.map((row) => columns.map((column) => getValueAt(row, column))));
    if (rows.length > WORKBOOK_MAX_ROWS)
      throw usageError(`More than ${formatCount(WORKBOOK_MAX_ROWS)} rows do not fit a workbook`, 'Export to a .csv file');
  }
  await writeWorkbook(path, rows);
  output.printNote(`${formatCountWithNoun(count, plural)} written to ${path}`);
}

/** `count`: what the export names; its rows may be more, one for each line of an order. */
interface ExportBatch extends Batch {
  readonly count: number;
}

async function* readBatches(
  { list, toRows, countsRows = false }: Export,
  parts: LooseParts,
  source: ExportSource,
  start: Batch['cursor'],
): AsyncGenerator<ExportBatch> {
  for await (const batch of iterateBatches(source.client, list, parts, start)) {
    const rows = toRows ? await toRows(batch.rows, source) : batch.rows;
    yield { ...batch, rows, count: countsRows ? rows.length : batch.rows.length };
  }
}

/** Identifies flags, format and destination. Times are as typed: `2h` is another time when the export is resumed. */
async function readFingerprint(context: ApiContext, list: Operation, format: BulkFormat, columns: readonly string[]): Promise<string> {
  const { isCsvSafe } = context.output;
  const parts: LooseParts = await toRequestParts(context, list);
  const destination = await context.session.readDestination();
  return JSON.stringify({ format, columns, ...(isCsvSafe && { isCsvSafe }), ...parts.query, destination });
}

/** The line of a row in the file. */
export function createLineFormat(format: BulkFormat, columns: readonly string[], output: Output): (row: unknown) => string {
  const { isCsvSafe } = output;
  const readers = columns.map(createReader);
  const toValues = (row: unknown): readonly unknown[] => readers.map((read) => read(row));
  if (format === 'csv') return (row) => `${toCsvLine(toValues(row), isCsvSafe)}\n`;
  const selected = output.columns === undefined ? null : columns;
  return (row) => `${JSON.stringify(pickFields(row, selected))}\n`;
}

interface ExportJob {
  readonly path: string;
  readonly exported: Pick<Export, 'plural' | 'countsRows'>;
  readonly batches: AsyncIterable<ExportBatch>;
  readonly toLine: (row: unknown) => string;
  /** Whether a later export with --resume appends new rows to the finished file. */
  readonly isContinued?: boolean;
}

/** Writes the file of an export, with checkpoints; Ctrl-C stops after a page. */
export async function writeRows(
  output: Output,
  file: ExportFile,
  { path, exported: { plural, countsRows }, batches, toLine, isContinued = false }: ExportJob,
): Promise<void> {
  const progressOptions: ProgressOptions = { noun: plural, total: null };
  const progress = createProgress(progressOptions);
  const interrupt = watchInterrupts(() => progress.clear());
  let count = 0;
  let savedAt = performance.now();
  let unsavedCursor: Batch['cursor'] = null;
  try {
    for await (const { rows, count: batchCount, cursor, total } of batches) {
      // A resumed export counts only the remaining records.
      if (file.start === null && countsRows !== true) progressOptions.total = total;
      await file.write(rows.map(toLine).join(''));
      count += batchCount;
      unsavedCursor = cursor;
      if (performance.now() - savedAt >= CHECKPOINT_INTERVAL_MS) {
        await file.saveCheckpoint(cursor);
        savedAt = performance.now();
        unsavedCursor = null;
      }
      progress.show(count);
      if (interrupt.signal.aborted) break;
    }
    if (interrupt.signal.aborted || isContinued) await file.saveCheckpoint(unsavedCursor);
  } catch (error) {
    progress.clear();
    // On a full disk this fails, too; the previous checkpoint is still valid.
    await file.saveCheckpoint(unsavedCursor).catch(() => undefined);
    await file.close();
    if (count > 0) output.printNote(`Interrupted after ${formatCountWithNoun(count, plural)}; continue with --resume`);
    throw error;
  } finally {
    interrupt.release();
  }
  progress.clear();
  if (interrupt.exit !== null) {
    await file.close();
    output.printNote(`Stopped after ${formatCountWithNoun(count, plural)}; continue with --resume`);
    process.exitCode = interrupt.exit;
    return;
  }
  await file.finish(isContinued);
  output.printNote(`${formatCountWithNoun(count, plural)} written to ${path}`);
}
