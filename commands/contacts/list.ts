import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { listContacts } from '../../src/contract/resources/contacts.ts';

export default operationCommand(listContacts, {
  columns: ['id', 'name', 'company', 'contactType', 'email', 'country', 'phone', 'isActive', 'updatedAt'],
  examples: ['contacts list --contact-types supplier,both', 'contacts list --search coffee --columns name,company,email'],
});
