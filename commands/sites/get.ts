import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getSite } from '../../src/contract/admin/sites.ts';

export default operationCommand(getSite, {
  examples: ['sites get NORTH', 'sites get NORTH --json'],
});
