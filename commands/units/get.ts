import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getUnit } from '../../src/contract/admin/units.ts';

export default operationCommand(getUnit, {
  examples: ['units get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', 'units get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --json'],
});
