import { ApiCommand } from '../../src/cli/base-commands/api-command.ts';
import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { deleteContact } from '../../src/contract/resources/contacts.ts';

export default class ContactsDelete extends ApiCommand {
  static override summary = 'Delete an unused contact';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteContact);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'] };
  static override examples = [
    '<%= config.bin %> contacts delete ana@example.com',
    '<%= config.bin %> contacts delete ana@example.com rui@example.com --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteContact, await this.parse(ContactsDelete), 'contact');
  }
}
