import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { getContact } from '../../src/contract/resources/contacts.ts';

export default class ContactsGet extends ApiCommand {
  static override summary = 'Show a contact';
  static override args = paramArgs(getContact);
  static override examples = [
    '<%= config.bin %> contacts get 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d',
    '<%= config.bin %> contacts get 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d -o yaml',
  ];

  async run(): Promise<void> {
    await this.show(getContact, await this.parse(ContactsGet));
  }
}
