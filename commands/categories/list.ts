import { listFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { listCategories } from '../../src/contract/admin/categories.ts';

export default class CategoriesList extends AdminCommand {
  static override summary = 'List categories';
  static override flags = { ...listFlags(listCategories), ...tenantFlag };
  static override examples = ['<%= config.bin %> categories list', '<%= config.bin %> categories list --search a --json'];

  async run(): Promise<void> {
    await this.list(listCategories, await this.parse(CategoriesList), ['id', 'name', 'parentId', 'isActive', 'updatedAt']);
  }
}
