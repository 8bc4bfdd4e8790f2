import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listTenants } from '../../src/contract/admin/tenants.ts';

export default operationCommand(listTenants, {
  columns: ['slug', 'name', 'plan', 'isActive', 'currency', 'timezone', 'id', 'createdAt'],
  examples: ['tenants list', 'tenants list --search coffee --columns slug,plan'],
});
