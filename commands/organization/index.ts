import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getOrganization } from '../../src/contract/resources/organization.ts';

export default operationCommand(getOrganization, {
  examples: ['organization', 'organization --json'],
});
