/** Tables of what several daemons share besides the data. */
import { LEASES_DDL } from './shared-state/leases.ts';
import { MEMBERS_DDL } from './shared-state/members.ts';
import { RATE_WINDOWS_DDL } from './shared-state/rate-windows.ts';

export const SHARED_STATE_TABLES: readonly string[] = [...RATE_WINDOWS_DDL, ...LEASES_DDL, ...MEMBERS_DDL];
