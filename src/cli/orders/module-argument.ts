/** The argument for the module of listed orders: `orders list sell` is `orders list --module sell`. */
import { Args } from '@oclif/core';
import { ALL_MODULES, ORDER_MODULES } from '../../contract/resources/orders.ts';
import { usageError } from '../errors/failure.ts';

export const moduleArgs = {
  module: Args.string({ options: [...ORDER_MODULES, ALL_MODULES], description: 'Module of the orders; same as --module. Default: all.' }),
};

/** The module of argument or flag; all of them without both. */
export function selectModule(args: Readonly<Record<string, unknown>>, flags: Readonly<Record<string, unknown>>): string {
  const { module: named = flags['module'] ?? ALL_MODULES } = args;
  if (flags['module'] !== undefined && flags['module'] !== named) throw usageError('MODULE and --module differ', 'Pass only one of them');
  return String(named);
}
