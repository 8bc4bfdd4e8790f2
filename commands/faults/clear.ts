import { Args } from '@oclif/core';
import type { Reply } from '../../src/client/client.ts';
import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/views/faults.ts';
import { getView } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { type Fault, clearFaults } from '../../src/contract/admin/faults.ts';

export default class FaultsClear extends AdminCommand {
  static override summary = 'Clear one injected fault, or all';
  static override args = {
    target: Args.string({ ignoreStdin: true, description: 'Target as passed to `faults set`. Default: all faults.' }),
  };
  static override examples = ['<%= config.bin %> faults clear', "<%= config.bin %> faults clear 'POST /v1/items' --json"];

  async run(): Promise<void> {
    const { args } = await this.parse(FaultsClear);
    const view = this.validateOutput({ ...getView(clearFaults, FAULT_COLUMNS), ...FAULT_LIST });
    const client = await this.connect();
    const body = args.target === undefined ? {} : { target: args.target };
    const reply = (await this.withWaitIndicator(client.call(clearFaults, { body }))) as Reply<{ data: readonly Fault[] }>;
    await this.printList(reply.body, view, reply.text);
    const count = reply.body.data.length;
    this.printNote(count === 0 ? 'No active faults' : `Cleared ${String(count)} ${count === 1 ? 'fault' : 'faults'}`);
  }
}
