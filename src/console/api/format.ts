/** The format of the tenant of the session. */
import { useMemo } from 'react';
import { useOrganization } from './queries.ts';
import { type Format, createFormat } from './values.ts';

export { type Format, toLabel } from './values.ts';
export { toPlainText as toText } from '../../cli/output/fields.ts';

export function useFormat(): Format {
  const organization = useOrganization();
  const currency = organization?.currency;
  const timeZone = organization?.timezone;
  return useMemo(() => createFormat(currency, timeZone), [currency, timeZone]);
}
