import { Flags } from '@oclif/core';
import { ApiCommand } from '../src/cli/base-commands/api-command.ts';
import type { Format } from '../src/cli/output/formats.ts';
import { getView } from '../src/cli/base-commands/service-command.ts';
import { getTerminalWidth } from '../src/cli/output/style.ts';
import type { ResultOf } from '../src/contract/operation.ts';
import { sanitizeOutput } from '../src/platform/terminal-text.ts';
import { getUsage } from '../src/contract/resources/usage.ts';

/** Changes within this time are shown in one update. */
const BATCH_MS = 250;
/** Used if the terminal does not report its height. */
const DEFAULT_ROWS = 24;
const CAPABILITY_VIEW = { fields: ['capability', 'count'], columns: ['capability', 'count'] };

export default class Usage extends ApiCommand {
  static override summary = 'Show API usage and the remaining rate limit';
  static override examples = [
    '<%= config.bin %> usage',
    '<%= config.bin %> usage --columns requests.total,rate_limit.remaining_per_minute',
    '<%= config.bin %> usage --watch',
  ];
  static override flags = {
    watch: Flags.boolean({
      description: 'Keep showing the remaining requests of each key until Ctrl-C; in a pipe, print one JSON object per change.',
    }),
    tenant: Flags.string({
      helpGroup: 'GLOBAL',
      helpValue: 'SLUG',
      description: 'Tenant to watch; optional if there is only one.',
      dependsOn: ['watch'],
    }),
  };

  private isWatching = false;

  /** With --watch in a pipe: NDJSON. */
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
    const view = this.validateOutput(getView(getUsage));
    const client = await this.connect();
    const reply = await this.withWaitIndicator(client.call(getUsage, {}));
    if (this.format === 'table' && this.globals.columns === undefined) await this.printOverview(reply.body);
    else await this.printOne(reply.body, view, reply.text);
  }

  /** Prints four summary lines, then the requests by capability. */
  private async printOverview({ data }: ResultOf<typeof getUsage>): Promise<void> {
    const { billing_period: period, requests, rate_limit: rate, api_key: key } = data;
    const left = `${String(rate.remaining_per_minute ?? '?')} of ${String(rate.limit_per_minute)} left this minute`;
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
    const { openSource } = await import('../src/dashboard/sources/open.ts');
    const { watchLimits, renderLimits } = await import('../src/dashboard/watch-limits.ts');
    const { initialState } = await import('../src/dashboard/state/model.ts');
    const options = { target: this.resolveTarget(), tenant, connect: () => this.connect(), batchMs: BATCH_MS };
    const { about, source } = await this.withWaitIndicator(openSource(options));
    let drawn = 0;
    let written = Promise.resolve();
    await watchLimits({
      source,
      initial: initialState(about, Date.now()),
      // Never aborted: Ctrl-C ends the process, and there is nothing to clean up.
      signal: new AbortController().signal,
      show: (state, changed) => {
        if (this.format === 'table') {
          const lines = renderLimits(state, Date.now(), {
            width: getTerminalWidth(process.stdout),
            height: process.stdout.rows || DEFAULT_ROWS,
          });
          // Overwrites the previous output. The cursor stays below it, so that nothing needs cleaning up on exit.
          const up = drawn === 0 ? '' : `\u001b[${String(drawn)}A`;
          drawn = lines.length;
          process.stdout.write(`${up}${lines.map((line) => `${sanitizeOutput(line)}\u001b[K\n`).join('')}\u001b[J`);
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
