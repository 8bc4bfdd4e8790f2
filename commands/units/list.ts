import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listUnits } from '../../src/contract/admin/units.ts';

export default class UnitsList extends AdminCommand {
  static override summary = 'List units';
  static override flags = { ...listFlags(listUnits), ...tenantFlag };
  static override examples = ['<%= config.bin %> units list', '<%= config.bin %> units list --search a --json'];

  async run(): Promise<void> {
    await this.list(listUnits, await this.parse(UnitsList), [
      'id',
      'name',
      'symbol',
      'dimension',
      'factorNum',
      'factorDen',
      'precision',
      'isActive',
    ]);
  }
}
