/** Sites, users, rate-limit tiers, API keys and usage as they are stored. D-22. */
import type { UserRole, UserStatus } from '../../contract/resources/setting-records.ts';
import type { Resource } from '../../contract/oauth.ts';
import type { Environment, Scope } from '../../contract/scopes.ts';

export interface SiteRecord {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly address: string;
  /** Exactly one per tenant. */
  readonly isDefault: boolean;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly status: UserStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A rate-limit tier that was set; unchanged built-in tiers have no record. Tiers belong to the service, not to a tenant. */
export interface TierRecord {
  /** The name of the tier. */
  readonly id: string;
  readonly requestsPerMinute: number;
  readonly updatedAt: string;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  /** `pk_test_` or `pk_live_` and 8 public characters; unique. */
  readonly prefix: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly environment: Environment | null;
  readonly rateLimitTier: string;
  /** The application and installation that obtained the key; null for a key created in the settings. */
  readonly applicationId: string | null;
  readonly installationId: string | null;
  /** The first of the keys that were rotated into this one. Absent on the first. */
  readonly lineageId?: string;
  /** The key that this one was rotated into. */
  readonly replacedBy?: string;
  /** The resources that the key is for (RFC 8707). Absent: all, as for a key created in the settings. */
  readonly audience?: readonly Resource[];
  /** The session of a browser in the console, which sends the key in two halves. */
  readonly isConsole?: true;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Updated at most once a minute. */
  readonly lastUsedAt: string | null;
}

/** The requests of one capability in one calendar month. The id is `<first day> <capability>`. */
export interface UsageRecord {
  readonly id: string;
  readonly periodStart: string;
  readonly capability: string;
  readonly count: number;
}
