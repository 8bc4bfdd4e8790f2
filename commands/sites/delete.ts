import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteSite } from '../../src/contract/admin/sites.ts';

export default operationCommand(deleteSite, {
  examples: ['sites delete NORTH', 'sites delete NORTH --yes'],
});
