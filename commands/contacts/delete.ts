import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { deleteContact } from '../../src/contract/resources/contacts.ts';

export default operationCommand(deleteContact, {
  examples: ['contacts delete ana@example.com', 'contacts delete ana@example.com rui@example.com --yes'],
});
