import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { updateContact } from '../../src/contract/resources/contacts.ts';

export default operationCommand(updateContact, {
  examples: ["contacts update ana@example.com --phone '+351 21 000 0000'", 'contacts update ana@example.com --no-is-active'],
});
