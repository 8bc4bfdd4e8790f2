import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { createContact } from '../../src/contract/resources/contacts.ts';

export default class ContactsCreate extends ApiCommand {
  static override summary = 'Create a contact';
  static override flags = {
    ...bodyFlags(createContact, {
      phone: 'Phone number in any format.',
      company: 'Company name; empty for a private person.',
      contactGroup: 'Group name of your choice.',
      contactType: 'Whether the contact is a customer, a supplier or both.',
      isActive: 'Whether new orders can use it.',
    }),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> contacts create --name 'Ana Reis' --email ana@example.com --contact-type supplier",
    "<%= config.bin %> contacts create --name 'Green Beans' --country PT -o id",
  ];

  async run(): Promise<void> {
    await this.write(createContact, await this.parse(ContactsCreate));
  }
}
