import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getTenant } from '../../src/contract/admin/tenants.ts';

export default operationCommand(getTenant, {
  examples: ['tenants get local', 'tenants get local --columns plan,timezone'],
});
