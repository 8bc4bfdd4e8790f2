import { Flags } from '@oclif/core';
import { type Cursor, iterateCursorPages } from '../../src/client/pages.ts';
import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { openExport } from '../../src/cli/bulk/export-file.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { getValueAt } from '../../src/cli/output/fields.ts';
import { type Format, toCsvLine } from '../../src/cli/output/formats.ts';
import { queryFlags } from '../../src/cli/input/operation-flags.ts';
import type { Page } from '../../src/cli/output/printer.ts';
import { type Parsed, getView } from '../../src/cli/base-commands/service-command.ts';
import { listAuditEvents } from '../../src/contract/resources/audit.ts';
import { AUDIT_LIMIT_MAX } from '../../src/contract/limits.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';

const { limit: _limit, cursor_created_at: _at, cursor_id: _id, ...FILTERS } = listAuditEvents.query.properties;
const SCREEN_COLUMNS = ['createdAt', 'action', 'actorType', 'resourceType', 'resourceId', 'actorId', 'ipAddress'];
const FILE_COLUMNS = ['id', 'createdAt', 'actorType', 'actorId', 'action', 'resourceType', 'resourceId', 'ipAddress', 'metadata'];
const FILE_FORMATS = ['ndjson', 'csv'] as const;

export default class AuditExport extends ApiCommand {
  static override summary = 'Export the audit trail, oldest events first';
  static override description =
    'Prints a table on a terminal and NDJSON in a pipe. With --out, the file is created when the export is complete; --resume continues an interrupted export or appends new events to a finished one.';
  static override flags = {
    ...queryFlags(FILTERS),
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Maximum number of events.' }),
    format: Flags.option({
      options: FILE_FORMATS,
      description: 'File format. Default: csv if FILE ends in .csv, else ndjson.',
      exclusive: ['json', 'output'],
    })(),
    out: Flags.string({ helpValue: 'FILE', description: 'Write to a file.', exclusive: ['json', 'output', 'columns'] }),
    resume: Flags.boolean({ description: 'Continue from the checkpoint of FILE.', dependsOn: ['out'] }),
  };
  static override examples = [
    '<%= config.bin %> audit export --since 24h --action-prefix item.',
    '<%= config.bin %> audit export --format csv --out audit.csv --resume',
  ];

  private requestedFormat: Format | undefined;

  protected override get format(): Format {
    if (this.requestedFormat !== undefined) return this.requestedFormat;
    return this.globals.json === true || this.globals.output !== undefined || this.isCsvSafe || process.stdout.isTTY
      ? super.format
      : 'ndjson';
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AuditExport);
    const { limit, format = this.isCsvSafe ? 'csv' : undefined, out } = flags;
    if (this.isCsvSafe && format !== 'csv') throw usageError('--csv-safe requires --format csv');
    this.requestedFormat = format;
    const typed = { args, flags: { ...flags, limit: Math.min(limit ?? AUDIT_LIMIT_MAX, AUDIT_LIMIT_MAX) } };
    const parsed = await this.resolveInstants(listAuditEvents, typed);
    if (out === undefined) await this.exportToStdout(parsed, limit);
    else
      await this.exportToFile(
        { typed, parsed },
        { path: out, format: format ?? (/\.csv$/iu.test(out) ? 'csv' : 'ndjson'), limit, resume: flags.resume },
      );
  }

  private async exportToStdout(parsed: Parsed, limit = Infinity): Promise<void> {
    const view = this.validateOutput(getView(listAuditEvents, this.format === 'table' ? SCREEN_COLUMNS : FILE_COLUMNS));
    const client = await this.connect();
    let next: Cursor | null = null;
    let hasMore = false;
    const pages = async function* (this: AuditExport): AsyncGenerator<Page> {
      let count = 0;
      for await (const { data, pagination } of iterateCursorPages(
        client,
        listAuditEvents,
        await this.toRequestParts(listAuditEvents, parsed),
        null,
      )) {
        const rows = data.slice(0, limit - count);
        count += rows.length;
        ({ hasMore, nextCursor: next } = rows.length === data.length ? pagination : { hasMore: true, nextCursor: toCursor(rows.at(-1)) });
        yield { rows };
        if (count >= limit) return;
      }
    };
    const shown = await this.printPages(pages.call(this), view, () => ({ hasMore, nextCursor: next }));
    this.reportHiddenColumns(shown);
    if (shown.count === 0 && process.stdout.isTTY) this.printNote('No results');
  }

  private async exportToFile(
    { typed, parsed }: { readonly typed: Parsed; readonly parsed: Parsed },
    to: { path: string; format: (typeof FILE_FORMATS)[number]; limit: number | undefined; resume: boolean },
  ): Promise<void> {
    const { path, format, limit = Infinity, resume } = to;
    if (path === '') throw usageError('--out requires a file name');
    const parts = await this.toRequestParts(listAuditEvents, parsed);
    // As typed: `2h` is a different time when the export is resumed.
    const { limit: _pageSize, ...filters } = (await this.toRequestParts(listAuditEvents, typed)).query;
    const client = await this.connect();
    const { isCsvSafe } = this;
    const toLine = (values: readonly unknown[]) => `${toCsvLine(values, isCsvSafe)}\n`;
    const file = await openExport(path, JSON.stringify({ format, ...(isCsvSafe && { isCsvSafe }), ...filters }), resume);
    let count = 0;
    try {
      if (format === 'csv' && file.start === null) await file.write(toLine(FILE_COLUMNS));
      for await (const { data, pagination } of iterateCursorPages(client, listAuditEvents, parts, file.start)) {
        const rows = data.slice(0, limit - count);
        await file.write(
          rows
            .map((row) => (format === 'csv' ? toLine(FILE_COLUMNS.map((column) => getValueAt(row, column))) : `${JSON.stringify(row)}\n`))
            .join(''),
        );
        count += rows.length;
        await file.saveCheckpoint(rows.length === data.length ? pagination.nextCursor : toCursor(rows.at(-1)));
        if (process.stderr.isTTY) process.stderr.write(`\r${String(count)} events \u001b[K`);
        if (count >= limit) break;
      }
    } catch (error) {
      await file.close();
      if (count > 0)
        this.printNote(
          `${process.stderr.isTTY ? '\n' : ''}Interrupted after ${String(count)} events. Run the same command with --resume to continue.`,
        );
      throw error;
    }
    await file.finish(resume);
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    this.printNote(`Wrote ${String(count)} events to ${path}`);
  }
}

const toCursor = (row: unknown): Cursor | null => {
  const { createdAt, id } = (row ?? {}) as Partial<Cursor>;
  return createdAt === undefined || id === undefined ? null : { createdAt, id };
};
