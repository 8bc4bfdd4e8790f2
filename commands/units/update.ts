import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { updateUnit } from '../../src/contract/admin/units.ts';

export default class UnitsUpdate extends AdminCommand {
  static override summary = 'Update a unit';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateUnit);
  static override flags = {
    ...bodyFlags(updateUnit, {
      dimension: 'Dimension of the unit; units convert only within it.',
      factorNum: 'Numerator of the factor: one unit is --factor-num ÷ --factor-den base units (piece, kilogram, litre, metre or hour).',
      factorDen: 'Denominator of the factor; see --factor-num.',
      isActive: 'Whether new items can use it.',
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
