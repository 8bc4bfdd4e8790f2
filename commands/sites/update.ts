import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateSite } from '../../src/contract/admin/sites.ts';

export default operationCommand(updateSite, {
  examples: ['sites update NORTH --is-default', "sites update NORTH --address '1 Dock Road'"],
});
