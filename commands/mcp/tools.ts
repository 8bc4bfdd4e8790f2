import { defineCommand } from '../../src/cli/command/define-command.ts';
import { toolsetFlag } from '../../src/cli/input/toolset-flag.ts';
import { listTools } from '../../src/mcp/tool-set.ts';

const COLUMNS = ['name', 'description', 'scope', 'plan', 'risk'];

export default defineCommand({
  summary: 'List the MCP tools',
  description:
    'The tools of `stockroom mcp` and of a running service at /mcp, with the scope and plan that a key needs for each. `--read-only` of `stockroom mcp` offers those with the risk read_only.',
  flags: { toolset: toolsetFlag },
  examples: ['mcp tools', 'mcp tools --toolset stock --json'],
  async run({ flags, output }) {
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['name', 'description'] });
    const data = listTools(flags.toolset).map(({ name, description, risk, operation: { scope, plan = null } }) => ({
      name,
      description: description.split('. ')[0] ?? '',
      scope,
      plan,
      risk,
    }));
    await output.printList({ data }, view);
  },
});
