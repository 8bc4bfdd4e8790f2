import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/views/faults.ts';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { listFaults } from '../../src/contract/admin/faults.ts';

export default class FaultsList extends AdminCommand {
  static override summary = 'List active faults with match and trigger counts';
  static override examples = ['<%= config.bin %> faults list', '<%= config.bin %> faults list --json'];

  async run(): Promise<void> {
    await this.list(listFaults, await this.parse(FaultsList), FAULT_COLUMNS, FAULT_LIST);
  }
}
