import { Flags } from '@oclif/core';
import { TOOLSETS } from '../../contract/mcp-stock-tools.ts';

/** Tools beside the twelve of the contract. */
export const toolsetFlag = Flags.option({
  options: TOOLSETS,
  description: 'Offer more tools: stock has levels, shortages, reorder advice, and changes of orders and stock, which are previewed first.',
})();
