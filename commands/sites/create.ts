import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createSite } from '../../src/contract/admin/sites.ts';

export default operationCommand(createSite, {
  examples: ["sites create --name 'Warehouse North' --code WN", 'sites create --name Shop --is-default'],
});
