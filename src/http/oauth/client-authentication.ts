/** Authenticates the client of a token or revocation request. RFC 6749 §2.3. */
import type { Request } from '@hapi/hapi';
import type { ApplicationRecord } from '../../domain/oauth/records.ts';
import { authenticateClient, isKnownClient } from '../../domain/oauth/clients.ts';
import { type RequestParameters, getSingleValue } from '../../domain/oauth/authorization-requests.ts';
import { getClientAddress } from '../forwarded.ts';
import type { RequestServices } from '../request-services.ts';
import { OAuthHttpError, createTooManyRequestsError } from './json-endpoint.ts';

interface ClientCredentials {
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly isBasic: boolean;
}

/**
 * Returns the application whose credentials the request has. Throws invalid_client, or 429 after too many requests or failed attempts.
 * The right secret is accepted after any number of wrong ones: other programs, which often share an address, cannot lock a client out, and
 * secrets are too long to be guessed.
 */
export async function authenticateClientRequest(
  service: RequestServices,
  request: Request,
  form: RequestParameters,
): Promise<ApplicationRecord> {
  const { clientId, secret, isBasic } = parseCredentials(request, form);
  const { requests, failedAttempts } = service.oauthLimits;
  const now = service.clock.now();
  const application = await service.store.readLatest('', (tx) => authenticateClient(tx, clientId, secret, now));
  const isKnown = application !== undefined || (await service.store.readLatest('', (tx) => isKnownClient(tx, clientId)));
  const seconds = (application ? requests : failedAttempts).consume(`${isKnown ? clientId : 'unknown'} ${getClientAddress(request)}`, now);
  if (seconds > 0) {
    service.metrics.rateLimited.add('client');
    throw createTooManyRequestsError(seconds);
  }
  if (application) return application;
  throw createInvalidClientError('Unknown client or wrong client secret.', isBasic);
}

function parseCredentials(request: Request, form: RequestParameters): ClientCredentials {
  const header = request.headers['authorization'] as string | undefined;
  const clientId = getSingleValue(form, 'client_id');
  const secret = getSingleValue(form, 'client_secret');
  if (header === undefined) {
    if (clientId === undefined)
      throw createInvalidClientError('Missing client credentials. Send HTTP Basic, or client_id in the body.', false);
    return { clientId, secret, isBasic: false };
  }
  const basic = parseBasicCredentials(header);
  if (!basic) throw createInvalidClientError('The Authorization header must be HTTP Basic with client id and secret.', true);
  if (secret !== undefined)
    throw new OAuthHttpError('invalid_request', 'Send the client credentials in the header or in the body, not in both.');
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw new OAuthHttpError('invalid_request', 'client_id differs from the client in the Authorization header.');
  }
  return basic;
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function parseBasicCredentials(header: string): ClientCredentials | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/iu.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 1) return undefined;
  try {
    const decode = (encodedText: string) => decodeURIComponent(encodedText.replaceAll('+', ' '));
    return { clientId: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)), isBasic: true };
  } catch {
    return undefined;
  }
}

const createInvalidClientError = (message: string, isBasic: boolean): OAuthHttpError =>
  new OAuthHttpError(
    'invalid_client',
    message,
    isBasic ? { headers: { 'www-authenticate': 'Basic realm="stockroom", charset="UTF-8"' } } : {},
  );
