import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { createContact } from '../../src/contract/resources/contacts.ts';

export default operationCommand(createContact, {
  examples: [
    "contacts create --name 'Ana Reis' --email ana@example.com --contact-type supplier",
    "contacts create --name 'Green Beans' --country PT -o id",
  ],
});
