/** The format of the tenant of the session. */
import { useMemo } from 'react';
import { useOrganization } from './queries.ts';
import { type Format, createFormat } from './values.ts';

export { type Format, toLabel, toText } from './values.ts';

export function useFormat(): Format {
  const organization = useOrganization();
  const currency = organization?.currency;
  const timeZone = organization?.timezone;
  return useMemo(() => createFormat(currency, timeZone), [currency, timeZone]);
}
