import { defineCommand } from '../../src/cli/command/define-command.ts';
import { withWaitIndicator } from '../../src/cli/output/wait-indicator.ts';
import { getView } from '../../src/cli/records/request.ts';
import { adminAccess } from '../../src/cli/session/admin-session.ts';
import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/views/faults.ts';
import type { Reply } from '../../src/client/client.ts';
import { clearFaults, type Fault } from '../../src/contract/admin/faults.ts';
import { Args } from '@oclif/core';

export default defineCommand({
  access: adminAccess,
  summary: 'Clear one injected fault, or all',
  args: {
    target: Args.string({ ignoreStdin: true, description: 'Target as passed to `faults set`. Default: all faults.' }),
  },
  examples: ['faults clear', "faults clear 'POST /v1/items' --json"],
  async run({ args, output, session }) {
    const view = output.validateView({ ...getView(clearFaults, FAULT_COLUMNS), ...FAULT_LIST });
    const client = await session.connect();
    const body = args.target === undefined ? {} : { target: args.target };
    const reply = (await withWaitIndicator(client.call(clearFaults, { body }))) as Reply<{ data: readonly Fault[] }>;
    await output.printList(reply.body, view, reply.text);
    const count = reply.body.data.length;
    output.printNote(count === 0 ? 'No active faults' : `Cleared ${String(count)} ${count === 1 ? 'fault' : 'faults'}`);
  },
});
