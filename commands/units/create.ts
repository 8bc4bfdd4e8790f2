import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { SettingsCommand, tenantFlag } from '../../src/cli/settings-command.ts';
import { createUnit } from '../../src/contract/admin/units.ts';

export default class UnitsCreate extends SettingsCommand {
  static override summary = 'Create a unit';
  static override flags = {
    ...bodyFlags(createUnit, {
      dimension: 'What it measures; only units of one dimension convert.',
      factorDen: 'See --factor-num.',
      isActive: 'Whether new items may use it.',
    }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    "<%= config.bin %> units create --name 'Bag of 60 kg' --symbol bag60 --dimension mass --factor-num 60",
    '<%= config.bin %> units create --name Box --symbol box',
  ];

  async run(): Promise<void> {
    await this.write(createUnit, await this.parse(UnitsCreate));
  }
}
