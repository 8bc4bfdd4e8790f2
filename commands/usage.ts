import { Flags } from '@oclif/core';
import { ApiCommand } from '../src/cli/api-command.ts';
import type { Format } from '../src/cli/formats.ts';
import { viewOf } from '../src/cli/service-command.ts';
import { columnsOf } from '../src/cli/style.ts';
import type { ResultOf } from '../src/contract/operation.ts';
import { getUsage } from '../src/contract/usage.ts';

/** Changes of so long are shown together. */
const GATHER_MS = 250;
/** Where a terminal does not tell its height. */
const DEFAULT_ROWS = 24;
const CAPABILITY_VIEW = { fields: ['capability', 'count'], columns: ['capability', 'count'] };

export default class Usage extends ApiCommand {
  static override summary = 'Show requests of this billing period and what is left of the rate limit';
  static override examples = [
    '<%= config.bin %> usage',
    '<%= config.bin %> usage --columns requests.total,rate_limit.remaining_per_minute',
    '<%= config.bin %> usage --watch',
  ];
  static override flags = {
    watch: Flags.boolean({ description: 'Go on showing what is left, key by key; in a pipe one object for each change. Ctrl-C ends it.' }),
    tenant: Flags.string({
      helpGroup: 'GLOBAL',
      helpValue: 'SLUG',
      description: 'Which tenant to watch; may be left out while there is only one.',
      dependsOn: ['watch'],
    }),
  };

  private isWatching = false;

  /** Objects in a pipe, one on each line, when it does not end. */
  protected override get format(): Format {
    const format = super.format;
    return this.isWatching && format !== 'table' ? 'ndjson' : format;
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Usage);
    if (flags.watch) {
      this.isWatching = true;
      await this.watch(flags.tenant);
      return;
    }
    const view = this.checked(viewOf(getUsage));
    const client = await this.connect();
    const reply = await this.awaiting(client.call(getUsage, {}));
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

  private async watch(tenant: string | undefined): Promise<void> {
    const { openSource } = await import('../src/dashboard/open.ts');
    const { watchLimits, watchLines } = await import('../src/dashboard/watch.ts');
    const { initialState } = await import('../src/dashboard/model.ts');
    const options = { target: this.findTarget(), tenant, connect: () => this.connect(), gatherMs: GATHER_MS };
    const { about, source } = await this.awaiting(openSource(options));
    let drawn = 0;
    let written = Promise.resolve();
    await watchLimits({
      source,
      initial: initialState(about, Date.now()),
      // Ctrl-C ends the process: nothing has to be put in order.
      signal: new AbortController().signal,
      show: (state, changed) => {
        if (this.format === 'table') {
          const lines = watchLines(state, Date.now(), { width: columnsOf(process.stdout), height: process.stdout.rows || DEFAULT_ROWS });
          // Over what was drawn before; the cursor always stands below, so that leaving needs no cleaning up.
          const up = drawn === 0 ? '' : `\u001b[${String(drawn)}A`;
          drawn = lines.length;
          process.stdout.write(`${up}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
          return;
        }
        const objects = changed.map(({ id: keyId, prefix: keyPrefix, tier, limit, remaining, resetsAt }) => ({
          keyId,
          keyPrefix,
          tier,
          limit,
          remaining: remaining ?? limit,
          resetAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
        }));
        written = written.then(() => this.out.write(objects.map((one) => `${JSON.stringify(one)}\n`).join('')));
      },
    });
  }
}
