import { Flags } from '@oclif/core';
import { followDeliveries } from '../../../src/cli/follow.ts';
import { queryFlags } from '../../../src/cli/operation-flags.ts';
import { viewOf } from '../../../src/cli/service-command.ts';
import { SettingsCommand, tenantFlag } from '../../../src/cli/settings-command.ts';
import { instantOf } from '../../../src/cli/since.ts';
import type { Format } from '../../../src/cli/formats.ts';
import { expectDaemon } from '../../../src/client/daemon.ts';
import { tailDeliveries } from '../../../src/contract/admin/webhooks.ts';

const { tenant: _tenant, since: _since, limit: _limit, ...FILTERS } = tailDeliveries.query.properties;

export default class WebhooksDeliveriesTail extends SettingsCommand {
  static override summary = 'Follow deliveries as they happen; Ctrl-C ends it';
  static override description =
    'One line per change of a delivery: recorded, tried, delivered, given up. --since begins in the past. A daemon that restarts is found again, and nothing in between is missed.';
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
    await this.connect();
    const rows = followDeliveries({
      daemon: () => expectDaemon(this.target.daemon, this.target.dataDir.value),
      connect: () => this.connect(),
      query: parts.query,
      since: since === undefined ? undefined : instantOf(since, new Date(), '--since'),
      note: (text) => this.note(this.paintFor(process.stderr)('dim', text)),
    });
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
