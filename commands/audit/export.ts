import { openExport } from '../../src/cli/bulk/files/export-file.ts';
import { defineCommand } from '../../src/cli/command/define-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { queryFlags } from '../../src/cli/input/operation-flags.ts';
import { getValueAt } from '../../src/cli/output/fields.ts';
import { toCsvLine } from '../../src/cli/output/formats.ts';
import type { Page } from '../../src/cli/output/printer.ts';
import { resolveResourceId } from '../../src/cli/records/any-record.ts';
import { getView, type ReadParts, resolveInstants, toRequestParts } from '../../src/cli/records/request.ts';
import { apiAccess, type ApiContext } from '../../src/cli/session/api-session.ts';
import { type Cursor, iterateCursorPages } from '../../src/client/lists/pages.ts';
import { AUDIT_LIMIT_MAX } from '../../src/contract/limits.ts';
import { listAuditEvents } from '../../src/contract/resources/audit.ts';
import { Flags } from '@oclif/core';

const { limit: _limit, cursor_created_at: _at, cursor_id: _id, ...FILTERS } = listAuditEvents.query.properties;
const SCREEN_COLUMNS = ['createdAt', 'action', 'actorType', 'resourceType', 'resourceId', 'actorId', 'ipAddress'];
const FILE_COLUMNS = ['id', 'createdAt', 'actorType', 'actorId', 'action', 'resourceType', 'resourceId', 'ipAddress', 'metadata'];
const FILE_FORMATS = ['ndjson', 'csv'] as const;

export default defineCommand({
  access: apiAccess,
  summary: 'Export the audit trail, oldest events first',
  description:
    'Prints a table on a terminal and NDJSON in a pipe. With --out, the file is created when the export is complete; --resume continues an interrupted export or appends new events to a finished one.',
  flags: {
    ...queryFlags(FILTERS),
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Maximum number of events.' }),
    format: Flags.option({
      options: FILE_FORMATS,
      description: 'File format. Default: csv if FILE ends in .csv, else ndjson.',
      exclusive: ['json', 'output'],
    })(),
    out: Flags.string({ helpValue: 'FILE', description: 'Write to a file.', exclusive: ['json', 'output', 'columns'] }),
    resume: Flags.boolean({ description: 'Continue from the checkpoint of FILE.', dependsOn: ['out'] }),
  },
  examples: ['audit export --since 24h --action-prefix item.', 'audit export --format csv --out audit.csv --resume'],
  async run(context) {
    const { flags, output } = context;
    const { limit, format = output.isCsvSafe ? 'csv' : undefined, out, resume } = flags;
    if (output.isCsvSafe && format !== 'csv') throw usageError('--csv-safe requires --format csv');
    const named = await resolveResourceId(context);
    const typed = { ...named, flags: { ...named.flags, limit: Math.min(limit ?? AUDIT_LIMIT_MAX, AUDIT_LIMIT_MAX) } };
    const parts = await toRequestParts(await resolveInstants(typed, listAuditEvents), listAuditEvents);
    if (out === undefined) {
      const isNdjson = !output.isFormatChosen && !process.stdout.isTTY;
      const shownAs = format ?? (isNdjson ? 'ndjson' : output.format);
      return exportToStdout({ ...context, output: output.withFormat(shownAs) }, parts, limit);
    }
    // As typed: `2h` is a different time when the export is resumed.
    const { limit: _pageSize, ...filters } = (await toRequestParts(typed, listAuditEvents)).query;
    const target = { path: out, format: format ?? (/\.csv$/iu.test(out) ? ('csv' as const) : ('ndjson' as const)), limit, resume };
    await exportToFile(context, { parts, filters }, target);
  },
});

async function exportToStdout({ output, session }: ApiContext, parts: ReadParts, limit = Infinity): Promise<void> {
  const view = output.validateView(getView(listAuditEvents, output.format === 'table' ? SCREEN_COLUMNS : FILE_COLUMNS));
  const client = await session.connect();
  let next: Cursor | null = null;
  let hasMore = false;
  const pages = async function* (): AsyncGenerator<Page> {
    let count = 0;
    for await (const { data, pagination } of iterateCursorPages(client, listAuditEvents, parts, null)) {
      const rows = data.slice(0, limit - count);
      count += rows.length;
      ({ hasMore, nextCursor: next } = rows.length === data.length ? pagination : { hasMore: true, nextCursor: toCursor(rows.at(-1)) });
      yield { rows };
      if (count >= limit) return;
    }
  };
  const shown = await output.printPages(pages(), view, () => ({ hasMore, nextCursor: next }));
  output.reportHiddenColumns(shown);
  if (shown.count === 0 && process.stdout.isTTY) output.printNote('No results');
}

async function exportToFile(
  { output, session }: ApiContext,
  { parts, filters }: { readonly parts: ReadParts; readonly filters: object },
  to: { path: string; format: (typeof FILE_FORMATS)[number]; limit: number | undefined; resume: boolean },
): Promise<void> {
  const { path, format, limit = Infinity, resume } = to;
  if (path === '') throw usageError('--out requires a file name');
  const client = await session.connect();
  const { isCsvSafe } = output;
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
      output.printNote(
        `${process.stderr.isTTY ? '\n' : ''}Interrupted after ${String(count)} events. Run the same command with --resume to continue.`,
      );
    throw error;
  }
  await file.finish(resume);
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  output.printNote(`Wrote ${String(count)} events to ${path}`);
}

const toCursor = (row: unknown): Cursor | null => {
  const { createdAt, id } = (row ?? {}) as Partial<Cursor>;
  return createdAt === undefined || id === undefined ? null : { createdAt, id };
};
