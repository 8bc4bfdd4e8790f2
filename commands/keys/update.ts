import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateKey } from '../../src/contract/admin/keys.ts';

export default operationCommand(updateKey, {
  examples: ['keys update pk_test_Ab12Cd34 --tier elevated', "keys update 'Shop sync' --name 'Shop sync 2' --json"],
});
