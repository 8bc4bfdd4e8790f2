/** Base of `items export` and `contacts export`: all rows with all columns, to a file or to stdout. */
import { Flags, type Interfaces } from '@oclif/core';
import { type Batch, iterateBatches } from '../../client/pages.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema } from '../../contract/schema/builder.ts';
import { ApiCommand } from '../base-commands/api-command.ts';
import { type ExportFile, openExport } from './export-file.ts';
import { usageError } from '../errors/failure.ts';
import { parseColumns, createReader } from '../output/fields.ts';
import { type Format, toCsvLine, pickFields } from '../output/formats.ts';
import { queryFlags } from '../input/operation-flags.ts';
import type { Page } from '../output/printer.ts';
import { type Parsed, getView } from '../base-commands/service-command.ts';
import { preferSmallHeap } from '../heap-limits.ts';
import { watchInterrupts } from './interrupt.ts';
import { formatCountWithNoun } from '../output/numbers.ts';
import { type ProgressOptions, createProgress } from './progress.ts';
import { BULK_FORMATS, type BulkFormat, detectFormat } from './records.ts';
import type { BulkResource } from './rows.ts';

/** Minimum time between checkpoints, each of which waits for the disk. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/** Extensions of formats that exports do not support. */
const UNSUPPORTED_EXTENSION = /\.(?:json|ya?ml|tsv|xlsx?|ods|xml|html?|parquet|gz|zip)$/iu;

/** The filters of the list and the flags for the output. */
export function exportFlags(op: Pick<Operation, 'query'>): Interfaces.FlagInput {
  const { page: _page, page_size: _size, sort: _sort, ...filters } = op.query?.properties ?? {};
  return {
    ...queryFlags(filters),
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
}

export abstract class ExportCommand extends ApiCommand {
  private chosenFormat: Format | undefined;

  protected override get format(): Format {
    if (this.chosenFormat !== undefined) return this.chosenFormat;
    return this.globals.json === true || this.globals.output !== undefined ? super.format : 'csv';
  }

  protected async export({ noun, list, record }: BulkResource, parsed: Parsed): Promise<void> {
    preferSmallHeap();
    const { format, out, resume } = parsed.flags as { format?: BulkFormat; out?: string; resume?: boolean };
    const allColumns = listExportColumns(record);
    const columns = this.globals.columns === undefined ? allColumns : parseColumns(this.globals.columns, getView(list).fields);
    if (out === '') throw usageError('--out must not be empty');
    if (out !== undefined && format === undefined && UNSUPPORTED_EXTENSION.test(out))
      throw usageError(`Unsupported file extension: ${out}`, 'Use .csv or .ndjson, or choose the format with --format');
    this.chosenFormat = out === undefined ? format : (format ?? detectFormat(out) ?? 'csv');
    if (this.isCsvSafe && (this.chosenFormat ?? 'csv') !== 'csv') throw usageError('--csv-safe requires --format csv');
    const parts = await this.toRequestParts(list, await this.resolveInstants(list, parsed));
    const client = await this.connect();
    if (out === undefined) {
      const pages = async function* (): AsyncGenerator<Page> {
        for await (const { rows, total } of iterateBatches(client, list, parts, null)) yield { rows, total };
      };
      await this.printPages(pages(), getView(list, columns));
      return;
    }
    const selectedColumns = this.globals.columns === undefined ? null : columns;
    const { isCsvSafe } = this;
    const readers = columns.map(createReader);
    const toLine =
      this.chosenFormat === 'csv'
        ? (row: unknown) =>
            `${toCsvLine(
              readers.map((read) => read(row)),
              isCsvSafe,
            )}\n`
        : (row: unknown) => `${JSON.stringify(pickFields(row, selectedColumns))}\n`;
    // As typed: `2h` is another time when the export is resumed.
    const typedQuery = (await this.toRequestParts(list, parsed)).query;
    const file = await openExport(
      out,
      JSON.stringify({ format: this.chosenFormat, columns, ...(isCsvSafe && { isCsvSafe }), ...typedQuery }),
      resume === true,
    );
    if (this.chosenFormat === 'csv' && file.start === null) await file.write(`${toCsvLine(columns, isCsvSafe)}\n`);
    await this.writeRows(file, out, `${noun}s`, iterateBatches(client, list, parts, file.start), toLine);
  }

  private async writeRows(
    file: ExportFile,
    path: string,
    plural: string,
    batches: AsyncIterable<Batch>,
    toLine: (row: unknown) => string,
  ): Promise<void> {
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
      if (count > 0) this.printNote(`Interrupted after ${formatCountWithNoun(count, plural)}; continue with --resume`);
      throw error;
    } finally {
      interrupt.release();
    }
    progress.clear();
    if (interrupt.exit !== null) {
      await file.close();
      this.printNote(`Stopped after ${formatCountWithNoun(count, plural)}; continue with --resume`);
      process.exitCode = interrupt.exit;
      return;
    }
    await file.finish(false);
    this.printNote(`${formatCountWithNoun(count, plural)} written to ${path}`);
  }
}

/** Lists all fields of a record; of nested objects without their id, which the record contains as a field of its own. */
function listExportColumns(schema: AnySchema, prefix = ''): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind === 'object') return listExportColumns(field, `${prefix}${name}.`).filter((column) => column !== `${prefix}${name}.id`);
    return [prefix + name];
  });
}
