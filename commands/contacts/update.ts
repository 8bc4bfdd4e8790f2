import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { updateContact } from '../../src/contract/resources/contacts.ts';

export default class ContactsUpdate extends ApiCommand {
  static override summary = 'Update a contact';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateContact);
  static override flags = {
    ...bodyFlags(updateContact, {
      phone: 'Phone number in any format.',
      company: 'Company name; empty for a private person.',
      contactGroup: 'Group name of your choice.',
      contactType: 'Whether the contact is a customer, a supplier or both.',
      isActive: 'Whether new orders can use it.',
    }),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> contacts update ana@example.com --phone '+351 21 000 0000'",
    '<%= config.bin %> contacts update ana@example.com --no-is-active',
  ];

  async run(): Promise<void> {
    await this.write(updateContact, await this.parse(ContactsUpdate));
  }
}
