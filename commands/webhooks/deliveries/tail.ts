import { Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/api-command.ts';
import { followDeliveries } from '../../../src/cli/follow.ts';
import { queryFlags } from '../../../src/cli/operation-flags.ts';
import { viewOf } from '../../../src/cli/service-command.ts';
import { pollDeliveries } from '../../../src/cli/poll.ts';
import { tenantFlag } from '../../../src/cli/settings-command.ts';
import { instantOf, timeOf } from '../../../src/cli/since.ts';
import type { Format } from '../../../src/cli/formats.ts';
import { createClient } from '../../../src/client/client.ts';
import { adminTransport, expectDaemon } from '../../../src/client/daemon.ts';
import { findTarget } from '../../../src/client/target.ts';
import { tailDeliveries } from '../../../src/contract/admin/webhooks.ts';

const { tenant: _tenant, since: _since, limit: _limit, ...FILTERS } = tailDeliveries.query.properties;

export default class WebhooksDeliveriesTail extends ApiCommand {
  static override summary = 'Follow deliveries as they happen; Ctrl-C ends it';
  static override description =
    'One line per change of a delivery: recorded, tried, delivered, given up. --since begins in the past. A daemon that restarts is found again, and nothing in between is missed. A service elsewhere (--url, or a profile with an address) is asked over its public API every now and then.';
  static override flags = {
    ...queryFlags(FILTERS),
    since: Flags.string({ helpValue: '1h|TIMESTAMP', description: 'First what happened since then.' }),
    limit: Flags.integer({ helpValue: 'N', min: 1, description: 'End after so many lines.' }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> webhooks deliveries tail',
    '<%= config.bin %> webhooks deliveries tail --since 1h --status failed --json',
  ];

  /** Objects in a pipe, one on each line. */
  protected override get format(): Format {
    const { output } = this.globals;
    return output ?? (this.wantsJson || !process.stdout.isTTY ? 'ndjson' : 'table');
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhooksDeliveriesTail);
    const { since, limit = Infinity, ...filters } = flags as typeof flags & Record<string, string | undefined>;
    const parts = this.partsOf(tailDeliveries, { args, flags: filters });
    const view = this.checked(
      viewOf(tailDeliveries, ['updatedAt', 'eventType', 'status', 'attempts', 'lastHttpStatus', 'lastError', 'id', 'webhookId']),
    );
    const { profile, url, 'data-dir': dataDir } = this.globals as { profile?: string; url?: string; 'data-dir'?: string };
    const target = () => findTarget({ profile, url, dataDir }, process.env, process.cwd());
    const { local, tenant } = target();
    // Found anew each time: a daemon that restarts may have another socket.
    const daemon = () => expectDaemon(target().daemon, target().dataDir.value);
    if (local) daemon();
    const connect = async () =>
      Promise.resolve(createClient({ transport: adminTransport(daemon(), target().dataDir.value), retry: this.retryPolicy() }));
    const now = async () => (local ? this.awaiting(timeOf(await connect())) : new Date());
    const common = {
      query: { tenant: tenant?.value, ...parts.query },
      since: since === undefined ? undefined : await instantOf(since, now, '--since'),
      note: (text: string) => this.note(this.paintFor(process.stderr)('dim', text)),
      awaiting: <T>(answer: Promise<T>) => this.awaiting(answer),
    };
    const rows = local ? followDeliveries({ ...common, daemon, connect }) : pollDeliveries({ ...common, client: await this.connect() });
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
