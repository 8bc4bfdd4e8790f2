import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createTenant } from '../../src/contract/admin/tenants.ts';

export default operationCommand(createTenant, {
  examples: [
    "tenants create --name 'Kestrel Coffee' --plan enterprise --timezone Europe/Lisbon",
    'tenants create --name Sandbox --plan free -o id',
  ],
});
