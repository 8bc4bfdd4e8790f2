import { Args } from '@oclif/core';
import type { Reply } from '../../src/client/client.ts';
import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/faults.ts';
import { viewOf } from '../../src/cli/service-command.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { type Fault, clearFaults } from '../../src/contract/admin/faults.ts';

export default class FaultsClear extends SettingsCommand {
  static override summary = 'End the fault of a target, or all faults, and show what was ended';
  static override args = { target: Args.string({ ignoreStdin: true, description: 'As it was set; default: every fault.' }) };
  static override examples = ['<%= config.bin %> faults clear', "<%= config.bin %> faults clear 'POST /v1/items' --json"];

  async run(): Promise<void> {
    const { args } = await this.parse(FaultsClear);
    const view = this.checked({ ...viewOf(clearFaults, FAULT_COLUMNS), ...FAULT_LIST });
    const client = await this.connect();
    const body = args.target === undefined ? {} : { target: args.target };
    const reply = (await this.awaiting(client.call(clearFaults, { body }))) as Reply<{ data: readonly Fault[] }>;
    await this.printList(reply.body, view, reply.text);
    const count = reply.body.data.length;
    this.note(count === 0 ? 'no fault was set' : `ended ${String(count)} ${count === 1 ? 'fault' : 'faults'}`);
  }
}
