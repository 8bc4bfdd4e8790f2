import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getItem, updateItem } from '../../src/contract/resources/items.ts';

export default editCommand(getItem, updateItem, ['items edit KES-HB-250', 'items edit KES-HB-250 --dry-run']);
