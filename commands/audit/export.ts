import { Flags } from '@oclif/core';
import { type Cursor, cursorPagesOf } from '../../src/client/pages.ts';
import { ApiCommand } from '../../src/cli/api-command.ts';
import { openExport } from '../../src/cli/export-file.ts';
import { usage } from '../../src/cli/failure.ts';
import { valueAt } from '../../src/cli/fields.ts';
import { type Format, csvLine } from '../../src/cli/formats.ts';
import { queryFlags } from '../../src/cli/operation-flags.ts';
import type { Page } from '../../src/cli/printer.ts';
import { type Parsed, viewOf } from '../../src/cli/service-command.ts';
import { listAuditEvents } from '../../src/contract/audit.ts';
import { AUDIT_LIMIT_MAX } from '../../src/contract/limits.ts';

const { limit: _limit, cursor_created_at: _at, cursor_id: _id, ...FILTERS } = listAuditEvents.query.properties;
const SCREEN_COLUMNS = ['createdAt', 'action', 'actorType', 'resourceType', 'resourceId', 'actorId', 'ipAddress'];
const FILE_COLUMNS = ['id', 'createdAt', 'actorType', 'actorId', 'action', 'resourceType', 'resourceId', 'ipAddress', 'metadata'];
const FILE_FORMATS = ['ndjson', 'csv'] as const;

export default class AuditExport extends ApiCommand {
  static override summary = 'Export who changed what, oldest first';
  static override description =
    'Prints a table on a terminal and one JSON object per line in a pipe. With --out the file appears whole at the end; --resume goes on where an export was cut off, or adds what is new to a finished one.';
  static override flags = {
    ...queryFlags(FILTERS),
    limit: Flags.integer({ helpValue: 'N', min: 1, description: 'At most so many events.' }),
    format: Flags.option({
      options: FILE_FORMATS,
      description: 'One JSON object per line, or comma-separated values. Default: csv into a file that ends in .csv, else ndjson.',
      exclusive: ['json', 'output'],
    })(),
    out: Flags.string({ helpValue: 'FILE', description: 'Write to a file.', exclusive: ['json', 'output', 'columns'] }),
    resume: Flags.boolean({ description: 'Go on from the checkpoint of FILE.', dependsOn: ['out'] }),
  };
  static override examples = [
    '<%= config.bin %> audit export --since 24h --action-prefix item.',
    '<%= config.bin %> audit export --format csv --out audit.csv --resume',
  ];

  private asked: Format | undefined;

  protected override get format(): Format {
    if (this.asked !== undefined) return this.asked;
    return this.globals.json === true || this.globals.output !== undefined || process.stdout.isTTY ? super.format : 'ndjson';
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AuditExport);
    const { limit, format, out } = flags;
    this.asked = format;
    const typed = { args, flags: { ...flags, limit: Math.min(limit ?? AUDIT_LIMIT_MAX, AUDIT_LIMIT_MAX) } };
    const parsed = await this.inTime(listAuditEvents, typed);
    if (out === undefined) await this.toScreen(parsed, limit);
    else
      await this.toFile(
        { typed, parsed },
        { path: out, format: format ?? (/\.csv$/iu.test(out) ? 'csv' : 'ndjson'), limit, resume: flags.resume },
      );
  }

  private async toScreen(parsed: Parsed, limit = Infinity): Promise<void> {
    const view = this.checked(viewOf(listAuditEvents, this.format === 'table' ? SCREEN_COLUMNS : FILE_COLUMNS));
    const client = await this.connect();
    let next: Cursor | null = null;
    let hasMore = false;
    const pages = async function* (this: AuditExport): AsyncGenerator<Page> {
      let count = 0;
      for await (const { data, pagination } of cursorPagesOf(client, listAuditEvents, this.partsOf(listAuditEvents, parsed), null)) {
        const rows = data.slice(0, limit - count);
        count += rows.length;
        ({ hasMore, nextCursor: next } = rows.length === data.length ? pagination : { hasMore: true, nextCursor: cursorAt(rows.at(-1)) });
        yield { rows };
        if (count >= limit) return;
      }
    };
    const shown = await this.printPages(pages.call(this), view, () => ({ hasMore, nextCursor: next }));
    this.tellHidden(shown);
    if (shown.count === 0 && process.stdout.isTTY) this.note('nothing found');
  }

  private async toFile(
    { typed, parsed }: { readonly typed: Parsed; readonly parsed: Parsed },
    to: { path: string; format: (typeof FILE_FORMATS)[number]; limit: number | undefined; resume: boolean },
  ): Promise<void> {
    const { path, format, limit = Infinity, resume } = to;
    if (path === '') throw usage('--out needs the name of a file');
    const parts = this.partsOf(listAuditEvents, parsed);
    // As they were typed: two hours ago is another instant when the export goes on.
    const { limit: _pageSize, ...filters } = this.partsOf(listAuditEvents, typed).query;
    const client = await this.connect();
    const file = await openExport(path, JSON.stringify({ format, ...filters }), resume);
    let count = 0;
    try {
      if (format === 'csv' && file.start === null) await file.write(`${csvLine(FILE_COLUMNS)}\n`);
      for await (const { data, pagination } of cursorPagesOf(client, listAuditEvents, parts, file.start)) {
        const rows = data.slice(0, limit - count);
        await file.write(
          rows
            .map((row) => `${format === 'csv' ? csvLine(FILE_COLUMNS.map((column) => valueAt(row, column))) : JSON.stringify(row)}\n`)
            .join(''),
        );
        count += rows.length;
        await file.mark(rows.length === data.length ? pagination.nextCursor : cursorAt(rows.at(-1)));
        if (process.stderr.isTTY) process.stderr.write(`\r${String(count)} events \u001b[K`);
        if (count >= limit) break;
      }
    } catch (error) {
      await file.close();
      if (count > 0)
        this.note(`${process.stderr.isTTY ? '\n' : ''}cut off after ${String(count)} events: the same command with --resume goes on`);
      throw error;
    }
    await file.finish(resume);
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    this.note(`${String(count)} events written to ${path}`);
  }
}

const cursorAt = (row: unknown): Cursor | null => {
  const { createdAt, id } = (row ?? {}) as Partial<Cursor>;
  return createdAt === undefined || id === undefined ? null : { createdAt, id };
};
