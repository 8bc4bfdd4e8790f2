import { Args, Flags } from '@oclif/core';
import { writeFlags } from '../../../src/cli/input/request-body.ts';
import { usageError } from '../../../src/cli/errors/failure.ts';
import { isId } from '../../../src/cli/output/fields.ts';
import { bodyFlags } from '../../../src/cli/input/operation-flags.ts';
import { AdminCommand, tenantFlag } from '../../../src/cli/base-commands/admin-command.ts';
import { iteratePages } from '../../../src/client/pages.ts';
import { type Site, listSites } from '../../../src/contract/admin/sites.ts';
import { setReorderPoint } from '../../../src/contract/admin/reorder-points.ts';

export default class StockLevelsSet extends AdminCommand {
  static override summary = "Set an item's reorder point at a site";
  static override args = { item_id: Args.string({ required: true, ignoreStdin: true, description: 'Id of the item' }) };
  static override flags = {
    site: Flags.string({ required: true, helpValue: 'SITE', description: 'Id or code of the site.' }),
    ...bodyFlags(setReorderPoint, {}, ['itemId', 'siteId']),
    ...writeFlags,
    ...tenantFlag,
  };
  static override examples = [
    '<%= config.bin %> stock levels set 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --site NORTH --reorder-point 250',
    "<%= config.bin %> stock levels set 7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e --site NORTH --reorder-point ''",
  ];

  async run(): Promise<void> {
    const parsed = await this.parse(StockLevelsSet);
    const { args, flags } = parsed;
    await this.write(setReorderPoint, parsed, async () => ({ itemId: args.item_id, siteId: await this.resolveSiteId(flags.site) }));
  }

  private async resolveSiteId(typed: string): Promise<string> {
    if (isId(typed)) return typed;
    const codes: string[] = [];
    const parts = { query: this.getContextQuery(listSites) };
    for await (const { data } of iteratePages(await this.connect(), listSites, parts)) {
      for (const { id, code } of data as readonly Site[]) {
        if (code.toLowerCase() === typed.toLowerCase()) return id;
        codes.push(code);
      }
    }
    throw usageError(`No site with code "${typed}"`, `Sites: ${codes.join(', ')}`);
  }
}
