import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { deleteContact } from '../../src/contract/resources/contacts.ts';

export default class ContactsDelete extends ApiCommand {
  static override summary = 'Delete an unused contact';
  static override args = paramArgs(deleteContact);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = [
    '<%= config.bin %> contacts delete 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d',
    '<%= config.bin %> contacts delete 2f6b1c9a-5d3e-4a87-b0c4-8e1f2a3b4c5d --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteContact, await this.parse(ContactsDelete), 'contact');
  }
}
