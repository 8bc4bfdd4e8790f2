/** What the session may do: the scopes and the plan of its key, against those that the contract requires of an operation. */
import { createContext, useContext } from 'react';
import { CONSOLE_ADMIN_OPERATIONS } from '../../contract/admin/console.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import type { getAuthContext } from '../../contract/resources/auth-context.ts';
import { READ_SCOPES, SCOPES, includesPlan } from '../../contract/scopes.ts';

type AuthContext = ResultOf<typeof getAuthContext>['data'];

export interface Access {
  /** Whether the service would not answer 403. */
  readonly can: (op: Operation) => boolean;
  readonly isReadOnly: boolean;
}

const ADMIN_SCOPES = new Map(CONSOLE_ADMIN_OPERATIONS.map(({ operation, scopes }) => [operation.id, scopes === 'all' ? SCOPES : scopes]));

export const createAccess = ({ tenant, api_key: { scopes } }: AuthContext): Access => ({
  can: ({ id, scope, plan }) => {
    const required = ADMIN_SCOPES.get(id) ?? (scope === null ? [] : [scope]);
    return required.every((name) => scopes.includes(name)) && (plan === undefined || includesPlan(tenant.plan, plan));
  },
  isReadOnly: scopes.every((scope) => READ_SCOPES.includes(scope)),
});

export const AccessContext = createContext<Access>({ can: () => false, isReadOnly: true });
/** Only below the frame of a session, which knows its access. */
export const useAccess = (): Access => useContext(AccessContext);
