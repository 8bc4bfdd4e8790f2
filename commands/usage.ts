import { defineCommand } from '../src/cli/command/define-command.ts';
import { formatCount } from '../src/cli/output/numbers.ts';
import { getTerminalWidth } from '../src/cli/output/style.ts';
import { withWaitIndicator } from '../src/cli/output/wait-indicator.ts';
import { getView, requestOnce } from '../src/cli/records/request.ts';
import { apiAccess, type ApiContext } from '../src/cli/session/api-session.ts';
import type { ResultOf } from '../src/contract/operation.ts';
import { getUsage } from '../src/contract/resources/usage.ts';
import { sanitizeOutput } from '../src/platform/terminal-text.ts';
import { Flags } from '@oclif/core';

/** Changes within this time are shown in one update. */
const BATCH_MS = 250;
/** Used if the terminal does not report its height. */
const DEFAULT_ROWS = 24;
const CAPABILITY_VIEW = { fields: ['capability', 'count'], columns: ['capability', 'count'] };

export default defineCommand({
  access: apiAccess,
  summary: 'Show API usage and the remaining rate limit',
  examples: ['usage', 'usage --columns requests.total,rate_limit.remaining_per_minute', 'usage --watch'],
  flags: {
    watch: Flags.boolean({
      description: 'Keep showing the remaining requests of each key until Ctrl-C; in a pipe, print one JSON object per change.',
    }),
    ascii: Flags.boolean({ description: 'With --watch: draw with ASCII characters only.', dependsOn: ['watch'] }),
    tenant: Flags.string({
      helpGroup: 'GLOBAL',
      helpValue: 'SLUG',
      description: 'Tenant to watch; optional if there is only one.',
      dependsOn: ['watch'],
    }),
  },
  async run(context) {
    const { flags, output } = context;
    if (flags.watch) {
      await watch({ ...context, output: output.forLines() }, flags.tenant, flags.ascii);
      return;
    }
    const view = output.validateView(getView(getUsage));
    const { body, text } = await requestOnce(context, getUsage);
    if (output.isPlainTable) await printOverview(context, body);
    else await output.printOne(body, view, text);
  },
});

/** Prints four summary lines, then the requests by capability. */
async function printOverview({ output }: ApiContext, { data }: ResultOf<typeof getUsage>): Promise<void> {
  const { billing_period: period, requests, rate_limit: rate, api_key: key } = data;
  const left = `${String(rate.remaining_per_minute ?? '?')} of ${String(rate.limit_per_minute)} left this minute`;
  const head = {
    period: `${period.start} to ${period.end}, ${period.kind}`,
    requests: `${formatCount(requests.total)} with all keys`,
    'rate limit': `${left}, tier ${rate.tier}`,
    key: key.prefix,
  };
  await output.printOne({ data: head }, { fields: Object.keys(head), columns: Object.keys(head) });
  if (requests.by_capability.length === 0) return;
  await output.write('\n');
  await output.printList({ data: requests.by_capability }, CAPABILITY_VIEW);
}

async function watch({ output, session }: ApiContext, tenant: string | undefined, isAscii: boolean): Promise<void> {
  const { openSource } = await import('../src/dashboard/sources/open.ts');
  const { watchLimits, renderLimits } = await import('../src/dashboard/watch-limits.ts');
  const { toAscii } = await import('../src/dashboard/view/ascii.ts');
  const { createInitialState } = await import('../src/dashboard/state/model.ts');
  const options = {
    target: session.resolveTarget(),
    tenant: await session.resolveTenant(tenant),
    isTenantGiven: tenant !== undefined,
    connect: () => session.connect(),
    batchMs: BATCH_MS,
  };
  const { about, source } = await withWaitIndicator(openSource(options));
  let drawn = 0;
  let written = Promise.resolve();
  await watchLimits({
    source,
    initial: createInitialState(about, Date.now()),
    // Never aborted: Ctrl-C ends the process, and there is nothing to clean up.
    signal: new AbortController().signal,
    show: (state, changed) => {
      if (output.format === 'table') {
        const lines = renderLimits(state, Date.now(), {
          width: getTerminalWidth(process.stdout),
          height: process.stdout.rows || DEFAULT_ROWS,
        });
        // Overwrites the previous output. The cursor stays below it, so that nothing needs cleaning up on exit.
        const up = drawn === 0 ? '' : `\u001b[${String(drawn)}A`;
        drawn = lines.length;
        process.stdout.write(`${up}${lines.map((line) => `${sanitizeOutput(isAscii ? toAscii(line) : line)}\u001b[K\n`).join('')}\u001b[J`);
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
      written = written.then(() => output.write(objects.map((one) => `${JSON.stringify(one)}\n`).join('')));
    },
  });
}
