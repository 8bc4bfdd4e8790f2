import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateUnit } from '../../src/contract/admin/units.ts';

export default operationCommand(updateUnit, {
  examples: [
    'units update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --precision 3',
    'units update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --no-is-active',
  ],
});
