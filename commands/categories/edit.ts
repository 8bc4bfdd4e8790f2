import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getCategory, updateCategory } from '../../src/contract/admin/categories.ts';

export default editCommand(getCategory, updateCategory, ['categories edit Coffee', 'categories edit Coffee --dry-run']);
