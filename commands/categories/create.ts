import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { createCategory } from '../../src/contract/admin/categories.ts';

export default class CategoriesCreate extends AdminCommand {
  static override summary = 'Create a category';
  static override flags = {
    ...bodyFlags(createCategory, { parentId: 'Parent category.', isActive: 'Whether new items can use it.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    "<%= config.bin %> categories create --name 'Roasted coffee'",
    '<%= config.bin %> categories create --name Espresso --parent-id 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70',
  ];

  async run(): Promise<void> {
    await this.write(createCategory, await this.parse(CategoriesCreate));
  }
}
