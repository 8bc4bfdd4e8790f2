import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { saveTenantSnapshot } from '../../src/contract/admin/tenants.ts';

export default operationCommand(saveTenantSnapshot, {
  examples: ['tenants snapshot shop --name before-checkout', 'tenants snapshot shop --name base --json'],
});
