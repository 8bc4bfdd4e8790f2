/** The tools that an MCP server offers, and its name. */
import { TOOLS, type Tool } from '../contract/mcp-tools.ts';

export interface ToolSet {
  /** The version of stockroom. */
  readonly version: string;
  /** All tools that clients can see and call. */
  readonly tools: readonly Tool[];
}

/** `readOnly` leaves out all tools that make changes. */
export const createToolSet = (version: string, { readOnly = false } = {}): ToolSet => ({
  version,
  tools: readOnly ? TOOLS.filter(({ risk }) => risk === 'read_only') : TOOLS,
});

export const findTool = ({ tools }: ToolSet, name: unknown): Tool | undefined => tools.find((tool) => tool.name === name);

export const getServerInfo = ({ version }: ToolSet) => ({ name: 'stockroom', title: 'Stockroom', version });
