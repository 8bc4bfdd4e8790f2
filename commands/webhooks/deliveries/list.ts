import { Flags } from '@oclif/core';
import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { listFilters, pagingFlags, paramArgs, queryFlags } from '../../../src/cli/input/operation-flags.ts';
import { formatCount } from '../../../src/cli/output/numbers.ts';
import { listRecords } from '../../../src/cli/records/list-records.ts';
import { resolveInstants, toRequestParts } from '../../../src/cli/records/request.ts';
import { apiAccess, type ApiContext } from '../../../src/cli/session/api-session.ts';
import { DELIVERY_COLUMNS, DELIVERY_DERIVED, DELIVERY_NEVER_TRUNCATED } from '../../../src/cli/webhooks/delivery-rows.ts';
import { renameEventType, restoreEventType } from '../../../src/cli/webhooks/webhook-commands.ts';
import { parseDeliveryFilter } from '../../../src/cli/webhooks/delivery-filter.ts';
import { listDeliveries } from '../../../src/contract/resources/webhooks.ts';

export default defineCommand({
  access: apiAccess,
  summary: 'List the deliveries of a webhook endpoint',
  /** Its name in earlier releases. */
  hiddenAliases: ['webhooks:deliveries'],
  args: paramArgs(listDeliveries),
  flags: {
    ...renameEventType({ ...queryFlags(listFilters(listDeliveries, [])), ...pagingFlags(listDeliveries) }),
    filter: Flags.string({
      helpValue: 'QUERY',
      description: 'Only deliveries that match, as in the dashboard: "event:order.* http:5xx since:2h !timeout". Reads every page.',
      exclusive: ['page', 'page-size'],
    }),
  },
  examples: [
    'webhooks deliveries list 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e',
    'webhooks deliveries list 5c1d2e3f-4a5b-4c6d-8e7f-901a2b3c4d5e --status failed --all',
    "webhooks deliveries list shop-sync --filter 'http:5xx since:2h'",
  ],
  async run(context) {
    const { filter } = context.flags;
    const own = restoreEventType(context);
    // Programs get the fields of the record.
    const fields = ['updatedAt', 'eventType', 'status', 'lastHttpStatus', 'lastError', 'attempts', 'createdAt', 'id'];
    const columns = context.output.format === 'table' ? DELIVERY_COLUMNS : fields;
    const options = {
      derived: DELIVERY_DERIVED,
      neverTruncated: DELIVERY_NEVER_TRUNCATED,
      // The deliveries of one endpoint; how long an attempt took is known to the daemon only.
      ...(filter !== undefined && {
        matches: parseDeliveryFilter(filter, { without: ['endpoint', 'took'], now: await context.session.getServiceTime() }),
      }),
    };
    const count = await listRecords(own, listDeliveries, columns, options);
    if (count === 0 && filter === undefined && String(own.flags['status']) === 'failed' && process.stdout.isTTY) await noteRetrying(own);
  },
});

/** A delivery has failed when no attempts are left, which takes hours. */
async function noteRetrying(context: ApiContext): Promise<void> {
  const { output, session } = context;
  const { params, query } = await toRequestParts(await resolveInstants(context, listDeliveries), listDeliveries);
  const client = await session.connect();
  const reply = await client.perform(listDeliveries, { params, query: { ...query, status: 'retrying', page_size: 1 } });
  const { total } = reply.body.pagination;
  if (total > 0) output.printNote(`${formatCount(total)} ${total === 1 ? 'is' : 'are'} still retrying; list them with --status retrying`);
}
