import { Args } from '@oclif/core';
import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getView } from '../../src/cli/records/request.ts';
import { submitRecord } from '../../src/cli/records/write-record.ts';
import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/views/faults.ts';
import type { Reply } from '../../src/client/client.ts';
import { type Fault, clearFaults } from '../../src/contract/admin/faults.ts';

export default operationCommand(clearFaults, {
  summary: 'Clear one injected fault, or all',
  args: { target: Args.string({ description: 'Target as passed to `faults set`. Default: all faults.' }) },
  without: ['target'],
  examples: ['faults clear', "faults clear 'POST /v1/items' --json"],
  async run(context) {
    const { args, output } = context;
    const view = output.validateView({ ...getView(clearFaults, FAULT_COLUMNS), ...FAULT_LIST });
    const submitted = await submitRecord(context, clearFaults, { target: args.target });
    if (!submitted) return;
    const { body, text } = submitted as Reply<{ data: readonly Fault[] }>;
    await output.printList(body, view, text);
    const count = body.data.length;
    output.printNote(count === 0 ? 'No active faults' : `Cleared ${String(count)} ${count === 1 ? 'fault' : 'faults'}`);
  },
});
