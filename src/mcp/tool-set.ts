/** What a tool server offers, and what it calls itself. */
import { TOOLS, type Tool } from '../contract/tools.ts';

export interface ToolSet {
  /** Of stockroom. */
  readonly version: string;
  /** Whatever is not in here does not exist for a client. */
  readonly tools: readonly Tool[];
}

/** `readOnly` leaves out whatever changes something. */
export const toolSet = (version: string, { readOnly = false } = {}): ToolSet => ({
  version,
  tools: readOnly ? TOOLS.filter(({ risk }) => risk === 'read_only') : TOOLS,
});

export const toolNamed = ({ tools }: ToolSet, name: unknown): Tool | undefined => tools.find((tool) => tool.name === name);

export const serverInfo = ({ version }: ToolSet) => ({ name: 'stockroom', title: 'Stockroom', version });
