import { StockroomCommand } from '../../src/cli/base-commands/stockroom-command.ts';
import { TOOLS } from '../../src/contract/mcp-tools.ts';

const COLUMNS = ['name', 'description', 'scope', 'plan', 'risk'];

export default class McpTools extends StockroomCommand {
  static override summary = 'List the MCP tools';
  static override description =
    'The tools of `stockroom mcp` and of a running service at /mcp, with the scope and plan that a key needs for each. `--read-only` of `stockroom mcp` offers those with the risk read_only.';
  static override examples = ['<%= config.bin %> mcp tools', '<%= config.bin %> mcp tools --json'];

  async run(): Promise<void> {
    await this.parse(McpTools);
    const view = this.validateOutput({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['name', 'description'] });
    const data = TOOLS.map(({ name, risk, operation: { summary, scope, plan = null } }) => ({
      name,
      description: summary,
      scope,
      plan,
      risk,
    }));
    await this.printList({ data }, view);
  }
}
