import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateTenant } from '../../src/contract/admin/tenants.ts';

export default operationCommand(updateTenant, {
  examples: ['tenants update local --plan standard', 'tenants update local --set numberPrefixes.buy=PUR-'],
});
