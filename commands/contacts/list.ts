import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { listContacts } from '../../src/contract/resources/contacts.ts';

export default class ContactsList extends ApiCommand {
  static override summary = 'List contacts';
  static override flags = { ...listFlags(listContacts) };
  static override examples = [
    '<%= config.bin %> contacts list --contact-types supplier,both',
    '<%= config.bin %> contacts list --search coffee --columns name,company,email',
  ];

  async run(): Promise<void> {
    await this.list(listContacts, await this.parse(ContactsList), [
      'id',
      'name',
      'company',
      'contactType',
      'email',
      'country',
      'phone',
      'isActive',
      'updatedAt',
    ]);
  }
}
