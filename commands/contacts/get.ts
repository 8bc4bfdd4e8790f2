import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { getContact } from '../../src/contract/resources/contacts.ts';

export default operationCommand(getContact, {
  examples: ['contacts get ana@example.com', 'contacts get ana@example.com -o yaml'],
});
