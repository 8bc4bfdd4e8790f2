import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateOrganization } from '../../src/contract/admin/tenants.ts';

export default operationCommand(updateOrganization, {
  examples: ["organization update --name 'Kestrel Coffee Roasters'", 'organization update --plan pro --tenant kestrel-coffee'],
});
