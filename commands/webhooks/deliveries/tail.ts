import { defineCommand } from '../../../src/cli/command/define-command.ts';
import { tenantFlag } from '../../../src/cli/input/common-flags.ts';
import { integerFlag } from '../../../src/cli/input/integer-flag.ts';
import { queryFlags } from '../../../src/cli/input/operation-flags.ts';
import { parseInstant, readServiceClock } from '../../../src/cli/input/timestamp.ts';
import { watchPipeReader } from '../../../src/cli/output/pipe-reader.ts';
import { withWaitIndicator } from '../../../src/cli/output/wait-indicator.ts';
import { getView, toRequestParts } from '../../../src/cli/records/request.ts';
import { apiAccess } from '../../../src/cli/session/api-session.ts';
import { followDeliveries } from '../../../src/cli/webhooks/follow-deliveries.ts';
import { pollDeliveries } from '../../../src/cli/webhooks/poll-deliveries.ts';
import { renameEventType, restoreEventType } from '../../../src/cli/webhooks/webhook-commands.ts';
import { createClient } from '../../../src/client/client.ts';
import { createAdminTransport, requireDaemonState } from '../../../src/client/daemon-transport.ts';
import { resolveTarget } from '../../../src/client/target.ts';
import { tailDeliveries } from '../../../src/contract/admin/webhooks.ts';
import { Flags } from '@oclif/core';

const { tenant: _tenant, since: _since, limit: _limit, ...FILTERS } = tailDeliveries.query.properties;

export default defineCommand({
  access: apiAccess,
  summary: 'Follow deliveries as they happen',
  description:
    "Prints a line for each change of a delivery until Ctrl-C, and reconnects when the daemon restarts. Remote services are polled over the API with at most half of the key's rate limit.",
  flags: {
    ...renameEventType(queryFlags(FILTERS)),
    since: Flags.string({ helpValue: '1h|TIME', description: 'Start with changes since this time. Local time without an offset.' }),
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Exit after this many lines.' }),
    'no-follow': Flags.boolean({ description: 'Print the recorded deliveries and exit. Default without --since: all of them.' }),
    tenant: tenantFlag,
  },
  examples: [
    'webhooks deliveries tail',
    'webhooks deliveries tail --since 1h --status failed --json',
    'webhooks deliveries tail --since 10m --no-follow',
  ],
  async run(context) {
    const { flags, session } = context;
    // NDJSON in a pipe.
    const isPiped = context.output.wantsJson || !process.stdout.isTTY;
    const output = context.output.withFormat(flags.output ?? (isPiped ? 'ndjson' : 'table'));
    const { since, limit = Infinity, 'no-follow': isOnce } = flags;
    const { since: _typed, limit: _lines, ...filters } = restoreEventType(context).flags;
    if (!isOnce) watchPipeReader();
    const view = output.validateView(
      getView(tailDeliveries, ['updatedAt', 'eventType', 'status', 'attempts', 'lastHttpStatus', 'lastError', 'id', 'webhookId']),
    );
    const parts = await toRequestParts({ ...context, flags: filters }, tailDeliveries);
    const { profile, url, 'data-dir': dataDir } = flags;
    const target = () => resolveTarget({ profile, url, dataDir }, process.env, process.cwd());
    const { isLocal } = target();
    // Resolved for each use: a restarted daemon may have a different socket.
    const getDaemon = () => requireDaemonState(target().daemon, target().dataDir.value);
    if (isLocal) getDaemon();
    const connect = async () =>
      Promise.resolve(createClient({ transport: createAdminTransport(getDaemon(), target().dataDir.value), retry: session.retryPolicy }));
    const now = async () => (isLocal ? withWaitIndicator(readServiceClock(await connect())) : new Date());
    const common = {
      query: { ...parts.query, tenant: isLocal ? await session.resolveTenant(flags.tenant) : undefined },
      since: since === undefined ? (isOnce ? new Date(0).toISOString() : undefined) : await parseInstant(since, now, '--since'),
      isOnce,
      printNote: (text: string) => output.printDimNote(text),
      withWaitIndicator: <T>(response: Promise<T>) => withWaitIndicator(response),
    };
    const rows = isLocal
      ? followDeliveries({ ...common, getDaemon, connect })
      : pollDeliveries({ ...common, client: await session.connect() });
    let count = 0;
    const pages = async function* () {
      for await (const row of rows) {
        yield { rows: [row] };
        if ((count += 1) >= limit) return;
      }
    };
    await output.printPages(pages(), view);
  },
});
