import { writeFlags } from '../../src/cli/input/request-body.ts';
import { bodyFlags, paramArgs } from '../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../src/cli/base-commands/admin-command.ts';
import { updateCategory } from '../../src/contract/admin/categories.ts';

export default class CategoriesUpdate extends AdminCommand {
  static override summary = 'Update a category';
  static override description = 'Omitted fields are unchanged.';
  static override args = paramArgs(updateCategory);
  static override flags = {
    ...bodyFlags(updateCategory, { parentId: 'Parent category.', isActive: 'Whether new items can use it.' }),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    "<%= config.bin %> categories update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --name 'Green coffee'",
    "<%= config.bin %> categories update 0197a3c0-2222-7c33-9a51-3f2b9d6c1e70 --parent-id ''",
  ];

  async run(): Promise<void> {
    await this.write(updateCategory, await this.parse(CategoriesUpdate));
  }
}
