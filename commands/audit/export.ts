import { createLineFormat, writeRows } from '../../src/cli/bulk/export-command.ts';
import { openExport } from '../../src/cli/bulk/files/export-file.ts';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { usageError } from '../../src/cli/errors/failure.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { toCsvLine } from '../../src/cli/output/formats.ts';
import type { Output } from '../../src/cli/command-output.ts';
import type { Page } from '../../src/cli/output/printer.ts';
import { resolveResourceId } from '../../src/cli/records/any-record.ts';
import { getView, type ReadParts, resolveInstants, toRequestParts } from '../../src/cli/records/request.ts';
import type { ApiSession } from '../../src/cli/session/api-session.ts';
import { type Cursor, iterateCursorPages } from '../../src/client/lists/pages.ts';
import { AUDIT_LIMIT_MAX } from '../../src/contract/limits.ts';
import { listAuditEvents } from '../../src/contract/resources/audit.ts';
import { Flags } from '@oclif/core';

const SCREEN_COLUMNS = ['createdAt', 'action', 'actorType', 'resourceType', 'resourceId', 'actorId', 'ipAddress'];
const FILE_COLUMNS = ['id', 'createdAt', 'actorType', 'actorId', 'action', 'resourceType', 'resourceId', 'ipAddress', 'metadata'];
const FILE_FORMATS = ['ndjson', 'csv'] as const;

export default operationCommand(listAuditEvents, {
  summary: 'Export the audit trail, oldest events first',
  description:
    'Prints a table on a terminal and NDJSON in a pipe. With --out, the file is created when the export is complete; --resume continues an interrupted export or appends new events to a finished one.',
  flags: {
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Maximum number of events.' }),
    format: Flags.option({
      options: FILE_FORMATS,
      description: 'File format. Default: csv if FILE ends in .csv, else ndjson.',
      exclusive: ['json', 'output'],
    })(),
    out: Flags.string({ helpValue: 'FILE', description: 'Write to a file.', exclusive: ['json', 'output', 'columns'] }),
    resume: Flags.boolean({ description: 'Continue from the checkpoint of FILE.', dependsOn: ['out'] }),
  },
  without: ['limit', 'cursor_created_at', 'cursor_id'],
  examples: ['audit export --since 24h --action-prefix item.', 'audit export --format csv --out audit.csv --resume'],
  async run(context) {
    const { flags, output, session } = context;
    const { limit, format = output.isCsvSafe ? 'csv' : undefined, out, resume } = flags;
    if (output.isCsvSafe && format !== 'csv') throw usageError('--csv-safe requires --format csv');
    if (out === '') throw usageError('--out requires a file name');
    const named = await resolveResourceId(context);
    const typed = { ...named, flags: { ...named.flags, limit: Math.min(limit ?? AUDIT_LIMIT_MAX, AUDIT_LIMIT_MAX) } };
    const parts = await toRequestParts(await resolveInstants(typed, listAuditEvents), listAuditEvents);
    const read = (start: Cursor | null) => readEvents(session, parts, start, limit);
    if (out === undefined) {
      const isNdjson = !output.isFormatChosen && !process.stdout.isTTY;
      return print(output.withFormat(format ?? (isNdjson ? 'ndjson' : output.format)), read(null));
    }
    // As typed: `2h` is a different time when the export is resumed.
    const { limit: _pageSize, ...filters } = (await toRequestParts(typed, listAuditEvents)).query;
    const fileFormat = format ?? (/\.csv$/iu.test(out) ? 'csv' : 'ndjson');
    const { isCsvSafe } = output;
    const readFingerprint = async () =>
      JSON.stringify({ format: fileFormat, ...(isCsvSafe && { isCsvSafe }), ...filters, destination: await session.readDestination() });
    const file = await openExport(out, readFingerprint, resume);
    if (fileFormat === 'csv' && file.start === null) await file.write(`${toCsvLine(FILE_COLUMNS, isCsvSafe)}\n`);
    const exported = { plural: 'events', countsRows: true } as const;
    const toLine = createLineFormat(fileFormat, FILE_COLUMNS, output);
    await writeRows(output, file, { path: out, exported, batches: read(file.start), toLine, isContinued: resume });
  },
});

async function print(output: Output, batches: ReturnType<typeof readEvents>): Promise<void> {
  const view = output.validateView(getView(listAuditEvents, output.format === 'table' ? SCREEN_COLUMNS : FILE_COLUMNS));
  let pagination: object = { hasMore: false, nextCursor: null };
  const pages = async function* (): AsyncGenerator<Page> {
    for await (const { rows, hasMore, cursor } of batches) {
      pagination = { hasMore, nextCursor: cursor };
      yield { rows };
    }
  };
  const shown = await output.printPages(pages(), view, () => pagination);
  output.reportHiddenColumns(shown);
  if (shown.count === 0 && process.stdout.isTTY) output.printNote('No results');
}

/** Pages of up to `limit` events, each with the position after it. */
async function* readEvents(session: ApiSession, parts: ReadParts, start: Cursor | null, limit: number | undefined) {
  const client = await session.connect();
  for await (const { data, pagination } of iterateCursorPages(client, listAuditEvents, parts, start, limit))
    yield { rows: data, count: data.length, total: 0, hasMore: pagination.hasMore, cursor: pagination.nextCursor };
}
