import { Args } from '@oclif/core';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getView } from '../../src/cli/records/request.ts';
import { submitRecord } from '../../src/cli/records/write-record.ts';
import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/views/faults.ts';
import type { Reply } from '../../src/client/client.ts';
import { type Fault, runScenario } from '../../src/contract/admin/faults.ts';

export default operationCommand(runScenario, {
  args: { scenario: Args.string({ required: true, description: 'Name of the scenario.' }) },
  without: ['scenario'],
  examples: ['faults run rate-limit-storm', 'faults run lost-answers --json'],
  async run(context) {
    const { args, output } = context;
    const view = output.validateView({ ...getView(runScenario, FAULT_COLUMNS), ...FAULT_LIST });
    const submitted = await submitRecord(context, runScenario, { scenario: args.scenario });
    if (!submitted) return;
    const { body, text } = submitted as Reply<{ data: readonly Fault[] }>;
    await output.printList(body, view, text);
    if (process.stderr.isTTY) output.printNote('Active until `stockroom faults clear`, or the daemon stops');
  },
});
