import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { limitFlags } from '../../src/cli/input/common-flags.ts';
import type { Output } from '../../src/cli/command-output.ts';
import { formatCount } from '../../src/cli/output/numbers.ts';
import type { Page } from '../../src/cli/output/printer.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import { getView, resolveInstants, sendRequest, toRequestParts } from '../../src/cli/records/request.ts';
import type { AdminContext } from '../../src/cli/session/admin-session.ts';
import { GAP, followFeed } from '../../src/cli/session/follow-feed.ts';
import { AUDIT_DERIVED, AUDIT_TABLE_COLUMNS } from '../../src/cli/views/audit.ts';
import { isOutage } from '../../src/client/errors.ts';
import { type Cursor, type CursorBody, iterateCursorPages } from '../../src/client/lists/pages.ts';
import { TRAIL_LIMIT_DEFAULT, listAuditTrail } from '../../src/contract/admin/audit.ts';
import { AUDIT_LIMIT_MAX } from '../../src/contract/limits.ts';
import type { ResultOf } from '../../src/contract/operation.ts';
import type { AuditEvent } from '../../src/contract/resources/audit.ts';
import { Flags } from '@oclif/core';

const COLUMNS = [
  'createdAt',
  'action',
  'recordName',
  'actorName',
  'actorType',
  'resourceType',
  'resourceId',
  'actorId',
  'ipAddress',
  'requestId',
  'changes',
];

export default operationCommand(listAuditTrail, {
  description:
    'Names users, keys and records of the local daemon; `stockroom audit export` exports the trail of any service, oldest first.',
  flags: {
    ...limitFlags(TRAIL_LIMIT_DEFAULT),
    follow: Flags.boolean({
      char: 'f',
      exclusive: ['all'],
      description: 'Print the latest changes, oldest first, then new ones until Ctrl-C.',
    }),
  },
  without: ['limit', 'cursor_created_at', 'cursor_id'],
  examples: [
    'audit list',
    'audit list --record SO-000012',
    'audit list --actor ana@example.com --since 24h',
    'audit list --request-id 0c2f7d3e-5a41-4b8e-9d0a-6a1f1c1f7b42',
    'audit list --action-prefix order. --since 30d --all -o csv',
    'audit list --record KES-HB-250 -f',
  ],
  async run(context) {
    const { flags } = context;
    const output = flags.follow ? context.output.forStream() : context.output;
    const columns = output.format === 'table' ? AUDIT_TABLE_COLUMNS : COLUMNS;
    const options = { derived: AUDIT_DERIVED, neverTruncated: ['time', 'action', 'recordName'] };
    const view = output.validateView({ ...getView(listAuditTrail, columns), ...options });
    const limit = flags.all ? Infinity : (flags.limit ?? TRAIL_LIMIT_DEFAULT);
    const typed = { ...context, flags: { ...flags, limit: Math.min(limit, AUDIT_LIMIT_MAX) } };
    const parts = await toRequestParts(await resolveInstants(typed, listAuditTrail), listAuditTrail);
    if (flags.follow) {
      const read = async (more: object): Promise<readonly Row[]> =>
        (await sendRequest(context, listAuditTrail, { ...parts, query: { ...parts.query, ...more } })).body.data;
      watchPipeReader();
      await output.printPages(follow(context, parts.query['tenant'], read), view);
      return;
    }
    const client = await context.session.connect();
    let pagination: CursorBody<Cursor>['pagination'] = { hasMore: false, nextCursor: null };
    const found = new Set<string>();
    const pages = async function* (): AsyncGenerator<Page> {
      for await (const page of iterateCursorPages(client, listAuditTrail, parts, null, limit)) {
        ({ pagination } = page);
        for (const row of page.data as readonly Row[]) found.add(row.resourceId);
        yield { rows: page.data };
      }
    };
    const shown = await output.printPages(pages(), view, () => pagination);
    if (output.format === 'json') return;
    output.reportHiddenColumns(shown);
    if (shown.count === 0) output.printNoRows();
    if (flags['record'] !== undefined) noteSeveral(output, flags['record'] as string, found);
    if (pagination.hasMore) output.printDimNote(`The newest ${formatCount(shown.count)} — use --limit for more, or --all for every row`);
  },
});

type Row = ResultOf<typeof listAuditTrail>['data'][number];

/** A name may be that of several records, also of deleted ones. */
function noteSeveral(output: Output, typed: string, ids: ReadonlySet<string>): void {
  if (ids.size <= 1) return;
  output.printNote(
    `${String(ids.size)} records have the name "${typed}"; for one of them, pass its id to --record: ${[...ids].join(', ')}`,
  );
}

async function* follow(
  context: AdminContext,
  tenant: string | undefined,
  read: (more: object) => Promise<readonly Row[]>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  /** The time of the latest change that was printed. */
  let last: string | undefined;
  const readNew = async (since: string | undefined): Promise<readonly Row[]> => {
    const rows = await read(since === undefined ? {} : { since, limit: AUDIT_LIMIT_MAX });
    const fresh = rows.filter(({ id }) => !seen.has(id)).toReversed();
    for (const { id, createdAt } of fresh) {
      seen.add(id);
      if (last === undefined || createdAt > last) last = createdAt;
    }
    return fresh;
  };
  let isFirst = true;
  let isMissing = false;
  for await (const { event, data } of followFeed(context, 'audit', tenant)) {
    try {
      // The feed has no names.
      const rows = await readNew(event === GAP || isMissing ? last : (data as AuditEvent).createdAt);
      isFirst = false;
      isMissing = false;
      if (rows.length > 0) yield { rows };
    } catch (error) {
      if (isFirst || !isOutage(error)) throw error;
      // The next message reads it.
      isMissing = true;
    }
  }
}
