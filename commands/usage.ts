import { ApiCommand } from '../src/cli/api-command.ts';
import { viewOf } from '../src/cli/service-command.ts';
import type { ResultOf } from '../src/contract/operation.ts';
import { getUsage } from '../src/contract/usage.ts';

const CAPABILITY_VIEW = { fields: ['capability', 'count'], columns: ['capability', 'count'] };

export default class Usage extends ApiCommand {
  static override summary = 'Show requests of this billing period and what is left of the rate limit';
  static override examples = [
    '<%= config.bin %> usage',
    '<%= config.bin %> usage --columns requests.total,rate_limit.remaining_per_minute',
  ];

  async run(): Promise<void> {
    await this.parse(Usage);
    const view = this.checked(viewOf(getUsage));
    const client = await this.connect();
    const reply = await client.call(getUsage, {});
    if (this.format === 'table' && this.globals.columns === undefined) await this.overview(reply.body);
    else await this.printOne(reply.body, view, reply.text);
  }

  /** A head of four lines, then the requests by capability. */
  private async overview({ data }: ResultOf<typeof getUsage>): Promise<void> {
    const { billing_period: period, requests, rate_limit: rate, api_key: key } = data;
    const left = `${String(rate.remaining_per_minute ?? '?')} of ${String(rate.limit_per_minute)} left in this minute`;
    const head = {
      period: `${period.start} to ${period.end}, ${period.kind}`,
      requests: requests.total,
      'rate limit': `${left}, tier ${rate.tier}`,
      key: key.prefix,
    };
    await this.printOne({ data: head }, { fields: Object.keys(head), columns: Object.keys(head) });
    if (requests.by_capability.length === 0) return;
    await this.out.write('\n');
    await this.printList({ data: requests.by_capability }, CAPABILITY_VIEW);
  }
}
