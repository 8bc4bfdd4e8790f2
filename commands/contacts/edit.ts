import { editCommand } from '../../src/cli/command/edit-command.ts';
import { getContact, updateContact } from '../../src/contract/resources/contacts.ts';

export default editCommand(getContact, updateContact, ['contacts edit ana@example.com', 'contacts edit ana@example.com --dry-run']);
