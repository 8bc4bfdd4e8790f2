import { operationCommand } from '../../src/cli/command/operation-command.ts';
import { putContact } from '../../src/contract/resources/contacts.ts';

export default operationCommand(putContact, {
  examples: [
    "contacts put crm-1204 --name 'Rui Reis' --email rui@example.com",
    "contacts put crm-1204 --name 'Rui Reis' --metadata segment=wholesale",
  ],
});
