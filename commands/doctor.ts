import { defineCommand } from '../src/cli/command/define-command.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { tenantFlag } from '../src/cli/input/common-flags.ts';
import { cancelled, confirm, mustConfirm } from '../src/cli/input/confirm.ts';
import { formatCount } from '../src/cli/output/numbers.ts';
import { withElapsedTime, withWaitIndicator } from '../src/cli/output/wait-indicator.ts';
import { adminAccess, type AdminContext } from '../src/cli/session/admin-session.ts';
import type { Client } from '../src/client/client.ts';
import { getDoctor, getDoctorProgress, repairData } from '../src/contract/admin/daemon.ts';
import type { ResultOf } from '../src/contract/operation.ts';
import { Errors, Flags } from '@oclif/core';

const COLUMNS = ['name', 'ok', 'detail'];
/** A check of a large store is long, and the end of the daemon ends the connection. */
const TIMEOUT_MS = 24 * 3_600_000;
const POLL_INTERVAL_MS = 500;
const REPAIR_COLUMNS = [
  'item.name',
  'item.sku',
  'site.name',
  'onHand',
  'averageCost',
  'newAverageCost',
  'valueChange',
  'documentNumber',
  'tenant',
  'itemId',
  'siteId',
];

export default defineCommand({
  access: adminAccess,
  summary: 'Check data integrity',
  description:
    'Recomputes derived data of all tenants and compares it with the stored data; exits with 9 if a check fails. --repair corrects times in the future, which the check "times" names if PostgreSQL rejects changes (in files it only explains them), and the average costs that the check "stock levels" names, with a revaluation document per site that books the difference as a variance; scripts must pass --yes.',
  flags: {
    repair: Flags.boolean({ description: 'Correct times in the future and distorted average costs.' }),
    'dry-run': Flags.boolean({ description: 'Show what --repair would correct, and change nothing.', dependsOn: ['repair'] }),
    yes: Flags.boolean({
      char: 'y',
      description: 'Skip the confirmation prompt of --repair; required without a terminal.',
      dependsOn: ['repair'],
    }),
    tenant: { ...tenantFlag, description: 'Slug of the tenant. Default: all tenants.' },
  },
  examples: ['doctor', 'doctor --tenant local --json', 'doctor --repair --dry-run'],
  async run(context) {
    const { flags, output, session } = context;
    if (flags.repair) return repair(context);
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS });
    const client = await session.connect();
    const sent = client.perform(getDoctor, { query: { tenant: flags.tenant } }, { timeoutMs: TIMEOUT_MS });
    const reply = await withProgress(client, sent);
    // Guaranteed by the contract; stated here because the parts are untyped.
    const { ok, checks } = (reply.body satisfies ResultOf<typeof getDoctor>).data;
    await output.printList({ data: checks }, view, reply.text);
    if (output.format === 'table') output.printDimNote(flags.tenant === undefined ? 'Of all tenants' : `Of tenant ${flags.tenant}`);
    if (!ok) Errors.exit(EXIT.checkFailed);
  },
});

/** Shows at a terminal how far the check is. */
async function withProgress<T>(client: Client, check: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return check;
  let label = 'Checking';
  const poll = async (): Promise<void> => {
    const { status, tenant, done, total } = (await client.call(getDoctorProgress, {})).body.data;
    if (status === 'waiting') label = 'Waiting for the check of another daemon';
    else if (tenant !== null) label = `Checking ${tenant}, ${formatCount(done)} of ${formatCount(total)} rows`;
  };
  const timer = setInterval(() => void poll().catch(() => undefined), POLL_INTERVAL_MS);
  return withElapsedTime(check, () => label).finally(() => clearInterval(timer));
}

async function repair(context: AdminContext): Promise<void> {
  const { flags, output, session } = context;
  const tenant = flags['tenant'] as string | undefined;
  const view = output.validateView({ fields: REPAIR_COLUMNS, columns: REPAIR_COLUMNS });
  const isDry = flags['dry-run'] === true;
  const mustAsk = mustConfirm(context, 'This changes stock values and times; --dry-run shows how');
  const client = await session.connect();
  const planned = await send(tenant, client, true);
  const { levels, times } = planned.body.data;
  const isSound = levels.length + times.length === 0;
  if (isDry || isSound || mustAsk) {
    await output.printList({ data: levels }, view, isDry || isSound ? planned.text : undefined);
    printTimes(context, times);
  }
  if (isDry || isSound) return output.printNote(isSound ? 'Nothing needs a correction' : 'Dry run; nothing was changed');
  if (mustAsk && !(await confirm(toQuestion(planned.body.data)))) throw cancelled('nothing was changed');
  const done = await send(tenant, client, false);
  await output.printList({ data: done.body.data.levels }, view, done.text);
}

function printTimes({ output }: AdminContext, times: Repairs['times']): void {
  for (const { tenant, lastChangeAt } of times)
    output.printNote(`${tenant ?? 'The service'} has its last change at ${lastChangeAt}, which is in the future`);
}

const send = (tenant: string | undefined, client: Client, dryRun: boolean) =>
  withWaitIndicator(client.perform(repairData, { query: { tenant }, body: { dryRun } }));

type Repairs = ResultOf<typeof repairData>['data'];

function toQuestion({ levels, times }: Repairs): string {
  const costs = levels.length === 0 ? [] : [`the average cost of ${String(levels.length)} level${levels.length === 1 ? '' : 's'}`];
  const clocks = times.length === 0 ? [] : ['the times above (all clocks must be right now)'];
  return `Correct ${[...costs, ...clocks].join(' and ')}?`;
}
