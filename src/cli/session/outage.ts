import { Unreachable } from '../../client/errors.ts';

/** What followers report when a service that responded before does not: with its address, if it is known. */
export const describeOutage = (thrown: unknown): string =>
  thrown instanceof Unreachable ? `The service at ${thrown.address} does not respond` : 'The service does not respond';
