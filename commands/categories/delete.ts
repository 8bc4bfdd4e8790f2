import { writeFlags } from '../../src/cli/input/request-body.ts';
import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { yesFlag } from '../../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { deleteCategory } from '../../src/contract/admin/categories.ts';

export default class CategoriesDelete extends AdminCommand {
  static override summary = 'Delete an unused category';
  /** Takes several ids. */
  static override strict = false;
  static override args = paramArgs(deleteCategory);
  static override flags = { ...yesFlag, 'dry-run': writeFlags['dry-run'], ...tenantFlag };
  static override examples = [
    '<%= config.bin %> categories delete 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
    '<%= config.bin %> categories delete 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --yes',
  ];

  async run(): Promise<void> {
    await this.remove(deleteCategory, await this.parse(CategoriesDelete), 'category');
  }
}
