import { defineCommand } from '../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../src/cli/input/common-flags.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import { queryFlags } from '../../src/cli/input/operation-flags.ts';
import { formatCount } from '../../src/cli/output/numbers.ts';
import type { Page } from '../../src/cli/output/printer.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import { getView, resolveInstants, sendRequest, toRequestParts } from '../../src/cli/records/request.ts';
import { type AdminContext, adminAccess } from '../../src/cli/session/admin-session.ts';
import { GAP, followFeed } from '../../src/cli/session/follow-feed.ts';
import { AUDIT_DERIVED, AUDIT_TABLE_COLUMNS } from '../../src/cli/views/audit.ts';
import { isOutage } from '../../src/client/errors.ts';
import { TRAIL_LIMIT_DEFAULT, listAuditTrail } from '../../src/contract/admin/audit.ts';
import { AUDIT_LIMIT_MAX } from '../../src/contract/limits.ts';
import type { ResultOf } from '../../src/contract/operation.ts';
import type { AuditEvent } from '../../src/contract/resources/audit.ts';
import { Flags } from '@oclif/core';

const { tenant: _tenant, limit: _limit, ...FILTERS } = listAuditTrail.query.properties;
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

export default defineCommand({
  access: adminAccess,
  summary: 'List who changed what, newest first',
  description: 'Names users, keys and records of the local daemon; `stockroom audit export` exports the whole trail of any service.',
  flags: {
    ...queryFlags(FILTERS),
    limit: integerFlag({
      helpValue: 'N',
      min: 1,
      max: AUDIT_LIMIT_MAX,
      description: `Maximum number of rows, up to ${formatCount(AUDIT_LIMIT_MAX)}; \`stockroom audit export\` has no limit. Default: ${String(TRAIL_LIMIT_DEFAULT)}.`,
    }),
    follow: Flags.boolean({ char: 'f', description: 'Print the latest changes, oldest first, then new ones until Ctrl-C.' }),
    tenant: tenantFlag,
  },
  examples: [
    'audit list',
    'audit list --record SO-000012',
    'audit list --actor ana@example.com --since 24h',
    'audit list --record KES-HB-250 -f',
  ],
  async run(context) {
    const { flags } = context;
    const output = flags.follow ? context.output.forStream() : context.output;
    const columns = output.format === 'table' ? AUDIT_TABLE_COLUMNS : COLUMNS;
    const options = { derived: AUDIT_DERIVED, neverTruncated: ['time', 'action', 'recordName'] };
    const view = output.validateView({ ...getView(listAuditTrail, columns), ...options });
    const parts = await toRequestParts(await resolveInstants(context, listAuditTrail), listAuditTrail);
    const read = async (more: object): Promise<ResultOf<typeof listAuditTrail>['data']> =>
      (await sendRequest(context, listAuditTrail, { ...parts, query: { ...parts.query, ...more } })).body.data;
    if (flags.follow) {
      watchPipeReader();
      await output.printPages(follow(context, parts.query['tenant'], read), view);
      return;
    }
    const data = await read({});
    await output.printList({ data }, view);
    if (output.format === 'json') return;
    if (data.length === 0) output.printNoRows();
    if (data.length === (flags.limit ?? TRAIL_LIMIT_DEFAULT))
      output.printDimNote(`The newest ${formatCount(data.length)}; show more with --limit`);
  },
});

type Row = ResultOf<typeof listAuditTrail>['data'][number];

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
