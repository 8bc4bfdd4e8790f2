import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listUnits } from '../../src/contract/admin/units.ts';

export default operationCommand(listUnits, {
  columns: ['id', 'name', 'symbol', 'dimension', 'factorNum', 'factorDen', 'precision', 'isActive'],
  examples: ['units list', 'units list --search a --json'],
});
