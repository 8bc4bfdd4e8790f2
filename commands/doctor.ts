import { Flags } from '@oclif/core';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { AdminCommand, tenantFlag } from '../src/cli/base-commands/admin-command.ts';
import type { Parsed } from '../src/cli/base-commands/service-command.ts';
import { confirm } from '../src/cli/input/confirm.ts';
import type { Client } from '../src/client/client.ts';
import { getDoctor, repairData } from '../src/contract/admin/daemon.ts';
import type { ResultOf } from '../src/contract/operation.ts';

const COLUMNS = ['name', 'ok', 'detail'];
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

export default class Doctor extends AdminCommand {
  static override summary = 'Check data integrity';
  static override description =
    'Recomputes derived data and compares it with the stored data; exits with 9 if a check fails. --repair corrects times in the future, which the check "times" names, and the average costs that the check "stock levels" names, with a revaluation document per site that books the difference as a variance; scripts must pass --yes.';
  static override flags = {
    repair: Flags.boolean({ description: 'Correct times in the future and distorted average costs.' }),
    'dry-run': Flags.boolean({ description: 'Show what --repair would correct, and change nothing.', dependsOn: ['repair'] }),
    yes: Flags.boolean({
      char: 'y',
      description: 'Skip the confirmation prompt of --repair; required without a terminal.',
      dependsOn: ['repair'],
    }),
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --tenant local --json',
    '<%= config.bin %> doctor --repair --dry-run',
  ];

  async run(): Promise<void> {
    const parsed = await this.parse(Doctor);
    if (parsed.flags.repair) return this.repair(parsed);
    const view = this.validateOutput({ fields: COLUMNS, columns: COLUMNS });
    const client = await this.connect();
    const reply = await this.withWaitIndicator(client.perform(getDoctor, await this.toRequestParts(getDoctor, parsed)));
    // Guaranteed by the contract; stated here because the parts are untyped.
    const { ok, checks } = (reply.body satisfies ResultOf<typeof getDoctor>).data;
    await this.printList({ data: checks }, view, reply.text);
    if (!ok) this.exit(EXIT.checkFailed);
  }

  private async repair(parsed: Parsed): Promise<void> {
    const view = this.validateOutput({ fields: REPAIR_COLUMNS, columns: REPAIR_COLUMNS });
    const isDry = parsed.flags['dry-run'] === true;
    if (!isDry && parsed.flags['yes'] !== true && !this.canPrompt)
      throw usageError('Cannot prompt without a terminal; pass --yes', 'This changes stock values and times; --dry-run shows how');
    const client = await this.connect();
    const planned = await this.send(client, parsed, true);
    const { levels, times } = planned.body.data;
    const isSound = levels.length + times.length === 0;
    if (isDry || isSound || parsed.flags['yes'] !== true) {
      await this.printList({ data: levels }, view, isDry || isSound ? planned.text : undefined);
      this.printTimes(times);
    }
    if (isDry || isSound) return this.printNote(isSound ? 'Nothing needs a correction' : 'Dry run; nothing was changed');
    if (parsed.flags['yes'] !== true && !(await confirm(toQuestion(planned.body.data))))
      throw new Failure('CANCELLED', 'Cancelled; nothing was changed', { exit: EXIT.usage });
    const done = await this.send(client, parsed, false);
    await this.printList({ data: done.body.data.levels }, view, done.text);
  }

  private printTimes(times: Repairs['times']): void {
    for (const { tenant, lastChangeAt } of times)
      this.printNote(`${tenant ?? 'The service'} has its last change at ${lastChangeAt}, which is in the future`);
  }

  private async send(client: Client, parsed: Parsed, dryRun: boolean) {
    const parts = await this.toRequestParts(repairData, parsed);
    return this.withWaitIndicator(client.perform(repairData, { ...parts, body: { dryRun } }));
  }
}

type Repairs = ResultOf<typeof repairData>['data'];

function toQuestion({ levels, times }: Repairs): string {
  const costs = levels.length === 0 ? [] : [`the average cost of ${String(levels.length)} level${levels.length === 1 ? '' : 's'}`];
  const clocks = times.length === 0 ? [] : ['the times above (all clocks must be right now)'];
  return `Correct ${[...costs, ...clocks].join(' and ')}?`;
}
