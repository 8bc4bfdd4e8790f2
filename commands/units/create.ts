import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { createUnit } from '../../src/contract/admin/units.ts';

export default class UnitsCreate extends AdminCommand {
  static override summary = 'Create a unit';
  static override flags = {
    ...bodyFlags(createUnit, {
      dimension: 'Dimension of the unit; units convert only within it.',
      factorNum: 'Numerator of the factor: one unit is --factor-num ÷ --factor-den base units (piece, kilogram, litre, metre or hour).',
      factorDen: 'Denominator of the factor; see --factor-num.',
      isActive: 'Whether new items can use it.',
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
