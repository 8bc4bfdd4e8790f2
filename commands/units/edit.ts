import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getUnit, updateUnit } from '../../src/contract/admin/units.ts';

export default editCommand(getUnit, updateUnit, ['units edit pcs', 'units edit pcs --dry-run']);
