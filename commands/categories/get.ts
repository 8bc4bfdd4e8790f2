import { paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { getCategory } from '../../src/contract/admin/categories.ts';

export default class CategoriesGet extends AdminCommand {
  static override summary = 'Show a category';
  static override args = paramArgs(getCategory);
  static override flags = { ...tenantFlag };
  static override examples = [
    '<%= config.bin %> categories get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
    '<%= config.bin %> categories get 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --json',
  ];

  async run(): Promise<void> {
    await this.show(getCategory, await this.parse(CategoriesGet));
  }
}
