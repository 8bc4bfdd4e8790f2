import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../../src/cli/input/common-flags.ts';
import { integerFlag } from '../../../src/cli/input/integer-flag.ts';
import { queryFlags } from '../../../src/cli/input/operation-flags.ts';
import { parseInstant, readServiceClock } from '../../../src/cli/input/timestamp.ts';
import { getValueAt, toPlainText } from '../../../src/cli/output/fields.ts';
import { watchPipeReader } from '../../../src/cli/output/pipe-reader.ts';
import { withWaitIndicator } from '../../../src/cli/output/wait-indicator.ts';
import { getView, toRequestParts } from '../../../src/cli/records/request.ts';
import { resolveFlags } from '../../../src/cli/session/session.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { DELIVERY_DERIVED, DELIVERY_NEVER_TRUNCATED, DELIVERY_SAMPLES, createNameLookup } from '../../../src/cli/webhooks/delivery-rows.ts';
import { followDeliveries } from '../../../src/cli/webhooks/follow-deliveries.ts';
import { listEndpoints, pollDeliveries } from '../../../src/cli/webhooks/poll-deliveries.ts';
import { renameEventType, restoreEventType } from '../../../src/cli/webhooks/webhook-commands.ts';
import type { QueriedDelivery } from '../../../src/client/row-query/delivery-fields.ts';
import { parseDeliveryFilter } from '../../../src/cli/webhooks/delivery-filter.ts';
import { createClient } from '../../../src/client/client.ts';
import { createAdminTransport, requireDaemonState } from '../../../src/client/transport/daemon-transport.ts';
import { listHealth, tailDeliveries } from '../../../src/contract/admin/webhooks.ts';
import { Flags } from '@oclif/core';

const { tenant: _tenant, since: _since, limit: _limit, ...FILTERS } = tailDeliveries.query.properties;

const FIELDS = ['updatedAt', 'eventType', 'status', 'attempts', 'lastHttpStatus', 'lastError', 'id', 'webhookId', 'webhook.name'];
const TABLE_COLUMNS = ['time', 'eventType', 'webhook.name', 'status', 'result', 'delivery'];

export default defineCommand({
  access: apiAccess,
  summary: 'Follow deliveries as they happen',
  description:
    "Prints a line for each change of a delivery, at a terminal for each attempt, until Ctrl-C, and reconnects when the daemon restarts. Remote services are polled over the API with at most half of the key's rate limit.",
  flags: {
    ...renameEventType(queryFlags(FILTERS)),
    since: Flags.string({ helpValue: '1h|TIME', description: 'Start with changes since this time. Local time without an offset.' }),
    filter: Flags.string({
      helpValue: 'QUERY',
      description: 'Only deliveries that match, as in the dashboard: "event:order.* http:5xx took:>1s !endpoint:shop".',
    }),
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Exit after this many lines.' }),
    'no-follow': Flags.boolean({ description: 'Print the recorded deliveries and exit. Default without --since: all of them.' }),
    tenant: tenantFlag,
  },
  examples: [
    'webhooks deliveries tail',
    'webhooks deliveries tail --since 1h --status failed --json',
    "webhooks deliveries tail --filter 'http:5xx took:>1s'",
    'webhooks deliveries tail --since 10m --no-follow',
  ],
  async run(context) {
    const { flags, session } = context;
    const output = context.output.forStream();
    const { since, limit = Infinity, 'no-follow': isOnce } = flags;
    const getWebhookName = (row: QueriedDelivery): string => toPlainText(getValueAt(row, 'webhook.name'));
    const matches = flags.filter === undefined ? () => true : parseDeliveryFilter(flags.filter, { getName: getWebhookName });
    const { since: _typed, limit: _lines, filter: _query, ...filters } = restoreEventType(context).flags;
    if (!isOnce) watchPipeReader();
    const isTable = output.format === 'table';
    const { fields } = getView(tailDeliveries);
    const view = output.validateView({
      fields: [...fields, 'webhook.name'],
      columns: isTable ? TABLE_COLUMNS : FIELDS,
      derived: DELIVERY_DERIVED,
      neverTruncated: DELIVERY_NEVER_TRUNCATED,
      ...(isOnce ? {} : { samples: DELIVERY_SAMPLES }),
    });
    const parts = await toRequestParts({ ...context, flags: filters }, tailDeliveries);
    const target = () => resolveFlags(flags);
    const { isLocal } = target();
    // Resolved for each use: a restarted daemon may have a different socket.
    const getDaemon = () => requireDaemonState(target().daemon, target().dataDir.value);
    if (isLocal) getDaemon();
    const connect = async () => Promise.resolve(createClient({ transport: createAdminTransport(getDaemon()), retry: session.retryPolicy }));
    const now = async () => (isLocal ? withWaitIndicator(readServiceClock(await connect())) : new Date());
    const common = {
      query: { ...parts.query, tenant: isLocal ? await session.resolveTenant(flags.tenant) : undefined },
      since: since === undefined ? (isOnce ? new Date(0).toISOString() : undefined) : await parseInstant(since, now, '--since'),
      isOnce,
      printNote: (text: string) => output.printDimNote(text),
    };
    const rows = isLocal
      ? followDeliveries({ ...common, getDaemon, connect })
      : pollDeliveries({ ...common, client: await session.connect() });
    const getName = createNameLookup(async () =>
      isLocal
        ? (await (await connect()).perform(listHealth, { query: { tenant: common.query.tenant } })).body.data
        : listEndpoints(await session.connect()),
    );
    let count = 0;
    const named = async function* () {
      for await (const row of rows) {
        // An attempt follows soon, unless the endpoint is paused.
        if (isTable && row.status === 'pending' && filters['status'] === undefined && !isOnce) continue;
        const shown = { ...row, webhook: { id: row.webhookId, name: await getName(row.webhookId) } };
        if (!matches(shown)) continue;
        yield { rows: [shown] };
        if ((count += 1) >= limit) return;
      }
    };
    // All rows together have better widths.
    if (!isOnce || !isTable) return void (await output.printPages(named(), view));
    const data: object[] = [];
    for await (const { rows: own } of named()) data.push(...own);
    await output.printList({ data }, view);
  },
});
