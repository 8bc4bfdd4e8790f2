import { ApiCommand } from '../../src/cli/api-command.ts';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/operation-flags.ts';
import { updateContact } from '../../src/contract/contacts.ts';

export default class ContactsUpdate extends ApiCommand {
  static override summary = 'Change a contact; what is not named stays as it is';
  static override args = paramArgs(updateContact);
  static override flags = {
    ...bodyFlags(updateContact, {
      phone: 'As you write it.',
      company: 'The company; empty for a private person.',
      contactGroup: 'Any word of your own to group contacts by.',
      contactType: 'Whether you sell to them, buy from them, or both.',
      isActive: 'Whether new orders may name it.',
    }),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> contacts update 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --phone '+351 21 000 0000'",
    '<%= config.bin %> contacts update 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --no-is-active',
  ];

  async run(): Promise<void> {
    await this.write(updateContact, await this.parse(ContactsUpdate));
  }
}
