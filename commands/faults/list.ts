import { FAULT_COLUMNS, FAULT_LIST } from '../../src/cli/faults.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { listFaults } from '../../src/contract/admin/faults.ts';

export default class FaultsList extends SettingsCommand {
  static override summary = 'List the faults in force, and how often each was met and hit';
  static override examples = ['<%= config.bin %> faults list', '<%= config.bin %> faults list --json'];

  async run(): Promise<void> {
    await this.list(listFaults, await this.parse(FaultsList), FAULT_COLUMNS, FAULT_LIST);
  }
}
