/** Every operation and its handler: the compiler refuses this file when one is missing. */
import type { OPERATIONS } from '../contract/index.ts';
import type { Handlers } from './call.ts';
import { itemHandlers } from './items.ts';

export const handlers: Handlers<typeof OPERATIONS> = { ...itemHandlers };
