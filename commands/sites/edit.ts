import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getSite, updateSite } from '../../src/contract/admin/sites.ts';

export default editCommand(getSite, updateSite, ['sites edit NORTH', 'sites edit NORTH --dry-run']);
