import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { getUnit } from '../../src/contract/admin/units.ts';

export default class UnitsGet extends AdminCommand {
  static override summary = 'Show a unit';
  static override args = paramArgs(getUnit);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> units get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
    '<%= config.bin %> units get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --json',
  ];

  async run(): Promise<void> {
    await this.show(getUnit, await this.parse(UnitsGet));
  }
}
