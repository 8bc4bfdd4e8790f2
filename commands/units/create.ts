import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createUnit } from '../../src/contract/admin/units.ts';

export default operationCommand(createUnit, {
  examples: ["units create --name 'Bag of 60 kg' --symbol bag60 --dimension mass --factor-num 60", 'units create --name Box --symbol box'],
});
