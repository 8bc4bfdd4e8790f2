import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { updateUnit } from '../../src/contract/admin/units.ts';

export default class UnitsUpdate extends SettingsCommand {
  static override summary = 'Change a unit; what is not named stays as it is';
  static override args = paramArgs(updateUnit);
  static override flags = {
    ...bodyFlags(updateUnit, {
      dimension: 'What it measures; only units of one dimension convert.',
      factorDen: 'See --factor-num.',
      isActive: 'Whether new items may use it.',
    }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> units update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --precision 3',
    '<%= config.bin %> units update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --no-is-active',
  ];

  async run(): Promise<void> {
    await this.write(updateUnit, await this.parse(UnitsUpdate));
  }
}
