import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { getContact } from '../../src/contract/resources/contacts.ts';

export default class ContactsGet extends ApiCommand {
  static override summary = 'Show a contact';
  static override args = paramArgs(getContact);
  static override examples = ['<%= config.bin %> contacts get ana@example.com', '<%= config.bin %> contacts get ana@example.com -o yaml'];

  async run(): Promise<void> {
    await this.show(getContact, await this.parse(ContactsGet));
  }
}
