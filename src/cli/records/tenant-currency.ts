/** The currency of prices that do not name one, for tables. */
import { ApiError } from '../../client/errors.ts';
import { getOrganization } from '../../contract/resources/organization.ts';
import type { ServiceSession } from '../session/session.ts';

/** Returns a function that adds the currency of the tenant to rows; nothing if the key may not read it or the service does not name it. */
export function createCurrencyAdder(session: ServiceSession): (rows: readonly unknown[]) => Promise<readonly unknown[]> {
  let reading: Promise<string | undefined> | undefined;
  return async (rows) => {
    const currency = rows.length === 0 ? undefined : await (reading ??= readCurrency(session));
    return currency === undefined ? rows : rows.map((row) => ({ ...(row as object), currency }));
  };
}

async function readCurrency(session: ServiceSession): Promise<string | undefined> {
  try {
    return (await (await session.connect()).perform(getOrganization)).body.data.currency;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SCOPE_REQUIRED') return undefined;
    throw error;
  }
}
