import { defineCommand } from '../../src/cli/command/define-command.ts';
import { TOOLS } from '../../src/contract/mcp-tools.ts';

const COLUMNS = ['name', 'description', 'scope', 'plan', 'risk'];

export default defineCommand({
  summary: 'List the MCP tools',
  description:
    'The tools of `stockroom mcp` and of a running service at /mcp, with the scope and plan that a key needs for each. `--read-only` of `stockroom mcp` offers those with the risk read_only.',
  examples: ['mcp tools', 'mcp tools --json'],
  async run({ output }) {
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['name', 'description'] });
    const data = TOOLS.map(({ name, risk, operation: { summary, scope, plan = null } }) => ({
      name,
      description: summary,
      scope,
      plan,
      risk,
    }));
    await output.printList({ data }, view);
  },
});
