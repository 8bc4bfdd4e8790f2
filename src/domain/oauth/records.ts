/**
 * Stored records of partner applications, their installations, pending consents and authorization codes..
 * An application is pending until approved, and may be suspended and approved again. An installation connects it to a tenant; it is active
 * until disconnected, and active again after the next consent.
 */
import {
  type ApplicationStatus,
  type ApplicationType,
  type GrantType,
  type InstallationStatus,
  type Resource,
} from '../../contract/oauth.ts';
import type { Environment, Scope } from '../../contract/scopes.ts';

export interface ApplicationRecord {
  readonly id: string;
  /** `app_` and 22 letters and digits, or the URL of a document. Not secret. */
  readonly clientId: string;
  readonly name: string;
  readonly type: ApplicationType;
  readonly redirectUris: readonly string[];
  readonly allowedScopes: readonly Scope[];
  readonly grantTypes: readonly GrantType[];
  readonly status: ApplicationStatus;
  /** Registered by the client itself; absent for an application that the owner created. */
  readonly isSelfRegistered?: true;
  /** SHA-256 of the active secrets in hex, newest first; empty for a public application. */
  readonly secrets: readonly { readonly hash: string; readonly expiresAt: string | null }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface InstallationRecord {
  readonly id: string;
  readonly applicationId: string;
  readonly tenantId: string;
  readonly grantedScopes: readonly Scope[];
  /** The environment of keys issued to the application. */
  readonly environment: Environment | null;
  readonly status: InstallationStatus;
  /** The id of the actor who allowed it. */
  readonly approvedBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface AuthorizationCodeRecord {
  /** SHA-256 of the code in hex. */
  readonly id: string;
  readonly applicationId: string;
  readonly installationId: string;
  readonly tenantId: string;
  readonly redirectUri: string;
  /** RFC 7636: base64url of the SHA-256 of the verifier. */
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  /** Empty for all resources. */
  readonly audience: readonly Resource[];
  readonly expiresAt: string;
  readonly usedAt: string | null;
  /** The key that the code produced. */
  readonly keyId: string | null;
  /** Until then the code is kept, so that a replay is detected. */
  readonly forgetAt: string;
}

/** The answer to an authorization request. */
export interface ConsentDecision {
  /** Slug and id of the tenant that allowed it; null when denied. */
  readonly tenant: string | null;
  readonly tenantId: string | null;
  /** Id of the latest authorization code; null when denied. */
  readonly codeId: string | null;
  /** When the authorization code expires. */
  readonly usableUntil: string;
}

/** A valid authorization request, which a consent allows or denies. */
export interface AuthorizationRequest {
  readonly applicationId: string;
  readonly applicationName: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** RFC 7636: base64url of the SHA-256 of the verifier. */
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  /** The application registered itself, and nobody has allowed it anything yet. */
  readonly isUnverified?: boolean;
  /** The host of the document that describes the application, if its `client_id` is a URL. */
  readonly clientHost?: string;
  /** What was requested beyond what the application may have. Earlier releases rejected such requests. */
  readonly notGranted?: readonly Scope[];
  /** Empty for all resources. */
  readonly audience: readonly Resource[];
  /** The URL of this service that the client used. */
  readonly issuer: string;
}

/** An authorization request that waits for a decision, or was decided a short while ago. */
export interface PendingConsentRecord extends AuthorizationRequest {
  /** `req_` and 32 hex digits. Knowing it lets a browser follow the request, but not decide it. */
  readonly id: string;
  /** Sorts the requests in the order in which they arrived. */
  readonly order: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Until then the request is kept, so that its page can say that it has expired or was decided. */
  readonly forgetAt: string;
  /** Null while the request waits. */
  readonly decision: ConsentDecision | null;
  /** The proofs of ownership given for this request, as SHA-256 in hex; the latest ones, oldest first. */
  readonly proofs: readonly { readonly hash: string; readonly expiresAt: string }[];
}

/** A login code for a consent page, or for the console. */
export interface LoginCodeRecord {
  /** SHA-256 of the code in hex. */
  readonly id: string;
  /** Sorts the codes in the order in which they were created. */
  readonly order: string;
  readonly expiresAt: string;
  /** The first request that the code was entered for, and the only one that it is valid for; `console` for a code of the console. */
  readonly requestId: string | null;
  /** What the session of such a code may do. */
  readonly console?: { readonly tenantId: string; readonly scopes: readonly Scope[] };
}
