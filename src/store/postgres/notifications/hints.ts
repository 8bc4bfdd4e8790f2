/**
 * What daemons send each other with NOTIFY: that a tenant has changed, and nothing else. PostgreSQL lets every role that may connect listen
 * and notify on any channel, so the name of the channel and the payloads are made with a secret from a table of the schema. Others can
 * neither find the channel nor write a payload that is accepted, and payloads do not show which tenant they are about.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Queryable, defineStatement } from '../database.ts';
import { SCHEMA } from '../table-columns.ts';

export const SECRETS_DDL: readonly string[] = [`CREATE TABLE ${SCHEMA}.secrets (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)`];

const CREATE = defineStatement(`INSERT INTO ${SCHEMA}.secrets (name, value) VALUES ('notifications', $1) ON CONFLICT DO NOTHING`);
const READ = defineStatement(`SELECT value FROM ${SCHEMA}.secrets WHERE name = 'notifications'`);
const SECRET_BYTES = 32;
const TAG_BYTES = 16;
/** Tag of the sender, tag of the tenant, proof: each 16 bytes as base64url. */
const PAYLOAD = /^([\w-]{22})\.([\w-]{22})\.([\w-]{22})$/u;

/** Reads the secret of the database. The first daemon creates it. */
export async function readSecret(database: Queryable): Promise<string> {
  await database.query(CREATE, [randomBytes(SECRET_BYTES).toString('base64url')]);
  const [[secret] = []] = await database.query(READ, []);
  return String(secret);
}

/** `own`: sent by this daemon. `invalid`: sent by somebody else than a daemon. */
export type Hint = { readonly kind: 'own' } | { readonly kind: 'invalid' } | { readonly kind: 'changed'; readonly tenantTag: string };

export interface HintCodec {
  readonly channel: string;
  /** Identifies a tenant in payloads. */
  tagTenant(tenant: string): string;
  format(tenant: string): string;
  parse(payload: string): Hint;
}

/** `writer`: identifies this daemon. */
export function createHintCodec(secret: string, writer: string): HintCodec {
  const sign = (kind: string, text: string): string =>
    createHmac('sha256', secret).update(`${kind} ${text}`).digest().subarray(0, TAG_BYTES).toString('base64url');
  const ownTag = sign('writer', writer);
  const tagTenant = (tenant: string): string => sign('tenant', tenant);
  return {
    // Channel names are at most 63 bytes of letters, digits and underscores.
    channel: `stockroom_${createHmac('sha256', secret)
      .update('channel')
      .digest('hex')
      .slice(0, 2 * TAG_BYTES)}`,
    tagTenant,
    format(tenant) {
      const text = `${ownTag}.${tagTenant(tenant)}`;
      return `${text}.${sign('hint', text)}`;
    },
    parse(payload) {
      const [, writerTag = '', tenantTag = '', proof = ''] = PAYLOAD.exec(payload) ?? [];
      const expected = sign('hint', `${writerTag}.${tenantTag}`);
      if (proof.length !== expected.length || !timingSafeEqual(Buffer.from(proof), Buffer.from(expected))) return { kind: 'invalid' };
      return writerTag === ownTag ? { kind: 'own' } : { kind: 'changed', tenantTag };
    },
  };
}
