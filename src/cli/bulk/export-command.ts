/** `items export` and `contacts export`: every row with every column, page by page, into a file that appears whole or to stdout. */
import { Flags, type Interfaces } from '@oclif/core';
import { type Stretch, stretchesOf } from '../../client/pages.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema } from '../../contract/schema.ts';
import { ApiCommand } from '../api-command.ts';
import { type ExportFile, openExport } from '../export-file.ts';
import { usage } from '../failure.ts';
import { chosenColumns, reader } from '../fields.ts';
import { type Format, csvLine, pick } from '../formats.ts';
import { queryFlags } from '../operation-flags.ts';
import type { Page } from '../printer.ts';
import { type Parsed, viewOf } from '../service-command.ts';
import { preferSmallHeap } from '../frugal.ts';
import { watchInterrupts } from './interrupt.ts';
import { type ProgressOptions, counted, newProgress } from './progress.ts';
import { BULK_FORMATS, type BulkFormat, formatOf } from './records.ts';
import type { Resource } from './rows.ts';

/** Between two checkpoints: each waits for the disk. */
const MARK_MS = 1_000;

/** Whoever gives a file such a name wants something that is not written here. */
const OTHER_FORMAT = /\.(?:json|ya?ml|tsv|xlsx?|ods|xml|html?|parquet|gz|zip)$/iu;

/** The filters of the list, then where to. */
export function exportFlags(op: Pick<Operation, 'query'>): Interfaces.FlagInput {
  const { page: _page, page_size: _size, sort: _sort, ...filters } = op.query?.properties ?? {};
  return {
    ...queryFlags(filters),
    format: Flags.option({
      options: BULK_FORMATS,
      description: 'Comma-separated values, or one JSON object per line. Default: by the end of the name of the file, else csv.',
      exclusive: ['json', 'output'],
    })(),
    out: Flags.string({
      helpValue: 'FILE',
      description: 'Write to a file, which appears whole at the end.',
      exclusive: ['json', 'output'],
    }),
    resume: Flags.boolean({ description: 'Go on where an export to FILE was cut off.', dependsOn: ['out'] }),
  };
}

export abstract class ExportCommand extends ApiCommand {
  private asked: Format | undefined;

  protected override get format(): Format {
    if (this.asked !== undefined) return this.asked;
    return this.globals.json === true || this.globals.output !== undefined ? super.format : 'csv';
  }

  protected async export({ what, list, record }: Resource, parsed: Parsed): Promise<void> {
    preferSmallHeap();
    const { format, out, resume } = parsed.flags as { format?: BulkFormat; out?: string; resume?: boolean };
    const all = everyColumn(record);
    const columns = this.globals.columns === undefined ? all : chosenColumns(this.globals.columns, viewOf(list).fields);
    if (out === '') throw usage('--out needs the name of a file');
    if (out !== undefined && format === undefined && OTHER_FORMAT.test(out))
      throw usage(
        `an export is written as ${BULK_FORMATS.join(' or ')}, and ${out} ends otherwise`,
        'end the name in .csv or .ndjson, or say which it is with --format',
      );
    this.asked = out === undefined ? format : (format ?? formatOf(out) ?? 'csv');
    const parts = this.partsOf(list, await this.inTime(list, parsed));
    const client = await this.connect();
    if (out === undefined) {
      const pages = async function* (): AsyncGenerator<Page> {
        for await (const { rows, total } of stretchesOf(client, list, parts, null)) yield { rows, total };
      };
      await this.printPages(pages(), viewOf(list, columns));
      return;
    }
    const chosen = this.globals.columns === undefined ? null : columns;
    const readers = columns.map(reader);
    const lineOf =
      this.asked === 'csv'
        ? (row: unknown) => `${csvLine(readers.map((read) => read(row)))}\n`
        : (row: unknown) => `${JSON.stringify(pick(row, chosen))}\n`;
    // As it was typed: two hours ago is another instant when the export goes on.
    const asked = this.partsOf(list, parsed).query;
    const file = await openExport(out, JSON.stringify({ format: this.asked, columns, ...asked }), resume === true);
    if (this.asked === 'csv' && file.start === null) await file.write(`${csvLine(columns)}\n`);
    await this.fill(file, out, `${what}s`, stretchesOf(client, list, parts, file.start), lineOf);
  }

  private async fill(
    file: ExportFile,
    path: string,
    plural: string,
    stretches: AsyncIterable<Stretch>,
    lineOf: (row: unknown) => string,
  ): Promise<void> {
    const shown: ProgressOptions = { what: plural, total: null };
    const progress = newProgress(shown);
    const interrupt = watchInterrupts(() => progress.clear());
    let count = 0;
    let markedAt = performance.now();
    let unmarked: Stretch['place'] = null;
    try {
      for await (const { rows, place, total } of stretches) {
        // A resumed export counts from its place on.
        if (file.start === null) shown.total = total;
        await file.write(rows.map(lineOf).join(''));
        count += rows.length;
        unmarked = place;
        if (performance.now() - markedAt >= MARK_MS) {
          await file.mark(place);
          markedAt = performance.now();
          unmarked = null;
        }
        progress.show(count);
        if (interrupt.signal.aborted) break;
      }
      if (interrupt.signal.aborted) await file.mark(unmarked);
    } catch (error) {
      progress.clear();
      // A disk that is full takes no checkpoint either; the one before is still right.
      await file.mark(unmarked).catch(() => undefined);
      await file.close();
      if (count > 0) this.note(`cut off after ${counted(count, plural)}: the same command with --resume goes on`);
      throw error;
    } finally {
      interrupt.release();
    }
    progress.clear();
    if (interrupt.exit !== null) {
      await file.close();
      this.note(`stopped after ${counted(count, plural)}: the same command with --resume goes on`);
      process.exitCode = interrupt.exit;
      return;
    }
    await file.finish(false);
    this.note(`${counted(count, plural)} written to ${path}`);
  }
}

/** Every plain value of a record; of what it refers to everything but the id, which stands beside it. */
function everyColumn(schema: AnySchema, prefix = ''): readonly string[] {
  if (schema.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind === 'object') return everyColumn(field, `${prefix}${name}.`).filter((column) => column !== `${prefix}${name}.id`);
    return [prefix + name];
  });
}
