/** Commands that export all records of a kind, to stdout or to a file that appears when it is complete. */
import { type Command, Flags, type Interfaces } from '@oclif/core';
import { type Batch, iterateBatches } from '../../client/batches.ts';
import type { LooseParts } from '../../client/request.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema } from '../../contract/schema/builder.ts';
import { defineCommand } from '../command/define-command.ts';
import { usageError } from '../errors/failure.ts';
import { preferSmallHeap } from '../heap-limits.ts';
import { queryFlags } from '../input/operation-flags.ts';
import { createReader, parseColumns } from '../output/fields.ts';
import { pickFields, toCsvLine } from '../output/formats.ts';
import { formatCountWithNoun } from '../output/numbers.ts';
import type { Output } from '../command-output.ts';
import type { Page } from '../output/printer.ts';
import { getView, resolveInstants, toRequestParts } from '../records/request.ts';
import { type ApiContext, apiAccess } from '../session/api-session.ts';
import { type ExportFile, openExport } from './export-file.ts';
import { watchInterrupts } from './interrupt.ts';
import { type ProgressOptions, createProgress } from './progress.ts';
import { BULK_FORMATS, type BulkFormat, detectFormat } from './records.ts';
import type { BulkResource } from './rows.ts';

/** Minimum time between checkpoints, each of which waits for the disk. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/** Extensions of formats that exports do not support. */
const UNSUPPORTED_EXTENSION = /\.(?:json|ya?ml|tsv|xlsx?|ods|xml|html?|parquet|gz|zip)$/iu;

interface ExportFlags {
  readonly format?: BulkFormat | undefined;
  readonly out?: string | undefined;
  readonly resume: boolean;
}

/** The command that exports a kind of record. */
export const exportCommand = (resource: BulkResource, examples: readonly string[]): typeof Command =>
  defineCommand({
    access: apiAccess,
    summary: `Export ${resource.noun}s to CSV or NDJSON`,
    description:
      'Exports all fields, oldest records first. With --out, the file is created when the export is complete; --resume continues an interrupted one.',
    flags: { ...listFilterFlags(resource.list), ...exportFlags },
    examples,
    run: (context) => exportRecords(context, resource, context.flags),
  });

/** The filters of the list; exports have an order of their own. */
function listFilterFlags(op: Pick<Operation, 'query'>): Interfaces.FlagInput {
  const { page: _page, page_size: _size, cursor: _cursor, sort: _sort, ...filters } = op.query?.properties ?? {};
  return queryFlags(filters);
}

const exportFlags = {
  format: Flags.option({
    options: BULK_FORMATS,
    description: 'File format. Default: by the extension of FILE, else csv.',
    exclusive: ['json', 'output'],
  })(),
  out: Flags.string({
    helpValue: 'FILE',
    description: 'Write to a file, created when the export is complete.',
    exclusive: ['json', 'output'],
  }),
  resume: Flags.boolean({ description: 'Continue an interrupted export to FILE.', dependsOn: ['out'] }),
};

async function exportRecords(context: ApiContext, { noun, list, record }: BulkResource, flags: ExportFlags): Promise<void> {
  preferSmallHeap();
  const { output, session } = context;
  const { format, out, resume } = flags;
  const columns = output.columns === undefined ? listExportColumns(record) : parseColumns(output.columns, getView(list).fields);
  if (out === '') throw usageError('--out must not be empty');
  if (out !== undefined && format === undefined && UNSUPPORTED_EXTENSION.test(out))
    throw usageError(`Unsupported file extension: ${out}`, 'Use .csv or .ndjson, or choose the format with --format');
  const fileFormat = format ?? (out === undefined ? undefined : detectFormat(out)) ?? 'csv';
  const isCsv = output.isFormatChosen ? output.format === 'csv' : fileFormat === 'csv';
  if (output.isCsvSafe && !isCsv) throw usageError('--csv-safe requires --format csv');
  const parts = await toRequestParts(await resolveInstants(context, list), list);
  const client = await session.connect();
  if (out === undefined) {
    const pages = async function* (): AsyncGenerator<Page> {
      for await (const { rows, total } of iterateBatches(client, list, parts, null)) yield { rows, total };
    };
    const printed = output.isFormatChosen ? output : output.withFormat(fileFormat);
    await printed.printPages(pages(), getView(list, columns));
    return;
  }
  const file = await openExport(out, await describeExport(context, list, fileFormat, columns), resume);
  const toLine = createLineFormat(fileFormat, columns, output);
  if (fileFormat === 'csv' && file.start === null) await file.write(`${toCsvLine(columns, output.isCsvSafe)}\n`);
  const batches = iterateBatches(client, list, parts, file.start);
  await writeRows(output, file, { path: out, plural: `${noun}s`, batches, toLine });
}

/** What must be the same when an export is resumed. Times are as typed: `2h` is another time then. */
async function describeExport(context: ApiContext, list: Operation, format: BulkFormat, columns: readonly string[]): Promise<string> {
  const { isCsvSafe } = context.output;
  const parts: LooseParts = await toRequestParts(context, list);
  return JSON.stringify({ format, columns, ...(isCsvSafe && { isCsvSafe }), ...parts.query });
}

function createLineFormat(format: BulkFormat, columns: readonly string[], output: Output): (row: unknown) => string {
  const { isCsvSafe } = output;
  const readers = columns.map(createReader);
  const toValues = (row: unknown): readonly unknown[] => readers.map((read) => read(row));
  if (format === 'csv') return (row) => `${toCsvLine(toValues(row), isCsvSafe)}\n`;
  const selected = output.columns === undefined ? null : columns;
  return (row) => `${JSON.stringify(pickFields(row, selected))}\n`;
}

interface ExportJob {
  readonly path: string;
  readonly plural: string;
  readonly batches: AsyncIterable<Batch>;
  readonly toLine: (row: unknown) => string;
}

async function writeRows(output: Output, file: ExportFile, { path, plural, batches, toLine }: ExportJob): Promise<void> {
  const progressOptions: ProgressOptions = { noun: plural, total: null };
  const progress = createProgress(progressOptions);
  const interrupt = watchInterrupts(() => progress.clear());
  let count = 0;
  let savedAt = performance.now();
  let unsavedCursor: Batch['cursor'] = null;
  try {
    for await (const { rows, cursor, total } of batches) {
      // A resumed export counts only the remaining rows.
      if (file.start === null) progressOptions.total = total;
      await file.write(rows.map(toLine).join(''));
      count += rows.length;
      unsavedCursor = cursor;
      if (performance.now() - savedAt >= CHECKPOINT_INTERVAL_MS) {
        await file.saveCheckpoint(cursor);
        savedAt = performance.now();
        unsavedCursor = null;
      }
      progress.show(count);
      if (interrupt.signal.aborted) break;
    }
    if (interrupt.signal.aborted) await file.saveCheckpoint(unsavedCursor);
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
  await file.finish(false);
  output.printNote(`${formatCountWithNoun(count, plural)} written to ${path}`);
}

/** Lists all fields of a record; of nested objects without their id, which the record contains as a field of its own. */
function listExportColumns(schema: AnySchema, prefix = ''): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind === 'object') return listExportColumns(field, `${prefix}${name}.`).filter((column) => column !== `${prefix}${name}.id`);
    return [prefix + name];
  });
}
