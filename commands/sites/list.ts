import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listSites } from '../../src/contract/admin/sites.ts';

export default operationCommand(listSites, {
  columns: ['id', 'name', 'code', 'isDefault', 'isActive', 'address', 'updatedAt'],
  examples: ['sites list', 'sites list --search a --json'],
});
