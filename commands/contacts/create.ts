import { ApiCommand } from '../../src/cli/api-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { createContact } from '../../src/contract/contacts.ts';

export default class ContactsCreate extends ApiCommand {
  static override summary = 'Create a contact';
  static override flags = {
    ...bodyFlags(createContact, {
      phone: 'As you write it.',
      company: 'The company; empty for a private person.',
      contactGroup: 'Any word of your own to group contacts by.',
      contactType: 'Whether you sell to them, buy from them, or both.',
      isActive: 'Whether new orders may name it.',
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
