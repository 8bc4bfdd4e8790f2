/// <reference lib="esnext.disposable" preserve="true" />
/** For tests of programs that use the service: `import { startStockroom } from 'stockroom/testing'`. */
export { ApiError, Unreachable } from '../client/errors.ts';
export type { StockroomClient } from '../client/index.ts';
export { startStockroom } from './start-stockroom.ts';
export type * from './stockroom.ts';
