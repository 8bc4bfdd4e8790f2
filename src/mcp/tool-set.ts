/** The tools that an MCP server offers. */
import { STOCK_TOOLS, type Toolset } from '../contract/mcp-stock-tools.ts';
import { toStrictTool } from '../contract/strict.ts';
import { TOOLS, type Tool } from '../contract/mcp-tools.ts';

export interface ToolSet {
  /** The version of stockroom. */
  readonly version: string;
  /** All tools that clients can see and call. */
  readonly tools: readonly Tool[];
}

interface ToolSetOptions {
  /** Leaves out all tools that make changes. */
  readonly readOnly?: boolean;
  /** Tools beside the twelve of the contract. */
  readonly toolset?: Toolset | undefined;
  /** With what the given contract has of their operations. */
  readonly isStrict?: boolean;
}

/** The tools of the contract, and those of a toolset. */
export const listTools = (toolset?: Toolset): readonly Tool[] => (toolset === undefined ? TOOLS : [...TOOLS, ...STOCK_TOOLS]);

export const createToolSet = (version: string, { readOnly = false, toolset, isStrict = false }: ToolSetOptions = {}): ToolSet => ({
  version,
  tools: listTools(toolset)
    .filter(({ risk }) => !readOnly || risk === 'read_only')
    .map((tool) => (isStrict ? toStrictTool(tool) : tool)),
});
