import { Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/base-commands/api-command.ts';
import { renameEventType, restoreEventType } from '../../../src/cli/base-commands/webhook-command.ts';
import { followDeliveries } from '../../../src/cli/webhooks/follow-deliveries.ts';
import { queryFlags } from '../../../src/cli/input/operation-flags.ts';
import { getView } from '../../../src/cli/base-commands/service-command.ts';
import { pollDeliveries } from '../../../src/cli/webhooks/poll-deliveries.ts';
import { tenantFlag } from '../../../src/cli/base-commands/admin-command.ts';
import { parseInstant, readServiceClock } from '../../../src/cli/input/timestamp.ts';
import { watchPipeReader } from '../../../src/cli/output/pipe-reader.ts';
import type { Format } from '../../../src/cli/output/formats.ts';
import { createClient } from '../../../src/client/client.ts';
import { createAdminTransport, requireDaemonState } from '../../../src/client/daemon-transport.ts';
import { resolveTarget } from '../../../src/client/target.ts';
import { tailDeliveries } from '../../../src/contract/admin/webhooks.ts';
import { integerFlag } from '../../../src/cli/input/integer-flag.ts';

const { tenant: _tenant, since: _since, limit: _limit, ...FILTERS } = tailDeliveries.query.properties;

export default class WebhooksDeliveriesTail extends ApiCommand {
  static override summary = 'Follow deliveries as they happen';
  static override description =
    "Prints a line for each change of a delivery until Ctrl-C, and reconnects when the daemon restarts. Remote services are polled over the API with at most half of the key's rate limit.";
  static override flags = {
    ...renameEventType(queryFlags(FILTERS)),
    since: Flags.string({ helpValue: '1h|TIME', description: 'Start with changes since this time. Local time without an offset.' }),
    limit: integerFlag({ helpValue: 'N', min: 1, description: 'Exit after this many lines.' }),
    'no-follow': Flags.boolean({ description: 'Print the recorded deliveries and exit. Default without --since: all of them.' }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> webhooks deliveries tail',
    '<%= config.bin %> webhooks deliveries tail --since 1h --status failed --json',
    '<%= config.bin %> webhooks deliveries tail --since 10m --no-follow',
  ];

  /** NDJSON in a pipe. */
  protected override get format(): Format {
    const { output } = this.globals;
    return output ?? (this.wantsJson || !process.stdout.isTTY ? 'ndjson' : 'table');
  }

  async run(): Promise<void> {
    const { args, flags } = restoreEventType(await this.parse(WebhooksDeliveriesTail));
    const { since, limit = Infinity, 'no-follow': isOnce, ...filters } = flags;
    if (!isOnce) watchPipeReader();
    const view = this.validateOutput(
      getView(tailDeliveries, ['updatedAt', 'eventType', 'status', 'attempts', 'lastHttpStatus', 'lastError', 'id', 'webhookId']),
    );
    const parts = await this.toRequestParts(tailDeliveries, { args, flags: filters });
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = () => resolveTarget({ profile, url, dataDir }, process.env, process.cwd());
    const { isLocal, tenant } = target();
    // Resolved for each use: a restarted daemon may have a different socket.
    const getDaemon = () => requireDaemonState(target().daemon, target().dataDir.value);
    if (isLocal) getDaemon();
    const connect = async () =>
      Promise.resolve(createClient({ transport: createAdminTransport(getDaemon(), target().dataDir.value), retry: this.retryPolicy() }));
    const now = async () => (isLocal ? this.withWaitIndicator(readServiceClock(await connect())) : new Date());
    const common = {
      query: { tenant: tenant?.value, ...parts.query },
      since: since === undefined ? (isOnce ? new Date(0).toISOString() : undefined) : await parseInstant(since, now, '--since'),
      isOnce,
      printNote: (text: string) => this.printNote(this.getPaint(process.stderr)('dim', text)),
      withWaitIndicator: <T>(response: Promise<T>) => this.withWaitIndicator(response),
    };
    const rows = isLocal
      ? followDeliveries({ ...common, getDaemon, connect })
      : pollDeliveries({ ...common, client: await this.connect() });
    let count = 0;
    const pages = async function* () {
      for await (const row of rows) {
        yield { rows: [row] };
        if ((count += 1) >= limit) return;
      }
    };
    await this.printPages(pages(), view);
  }
}
