import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createTenant } from '../../src/contract/admin/tenants.ts';

export default operationCommand(createTenant, {
  without: ['lease'],
  examples: [
    "tenants create --name 'Kestrel Coffee' --plan enterprise --timezone Europe/Lisbon",
    'tenants create --name Sandbox --plan free -o id',
    'tenants create --template sandbox --slug worker-1',
  ],
});
