/** Which application sends a request to the token or revocation endpoint. RFC 6749 §2.3; decisions-api §6.3. */
import type { Request } from '@hapi/hapi';
import type { ApplicationRecord } from '../../domain/applications.ts';
import { provenApplication } from '../../domain/oauth-clients.ts';
import { type Parameters, single } from '../../domain/oauth-requests.ts';
import type { Service } from '../service.ts';
import { Refusal, tooMany } from './answers.ts';

interface Proof {
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly isBasic: boolean;
}

/** The application that the request proves to come from; throws invalid_client, or 429 after too many requests or failures. */
export async function clientOf(service: Service, request: Request, form: Parameters): Promise<ApplicationRecord> {
  const { clientId, secret, isBasic } = proofOf(request, form);
  const { requests, failures } = service.oauth;
  const now = service.clock.now();
  const who = `${clientId} ${request.info.remoteAddress}`;
  const seconds = failures.wait(who, now) || requests.spend(who, now);
  if (seconds > 0) throw tooMany(seconds);
  const application = await service.store.glance('', (tx) => provenApplication(tx, clientId, secret, now));
  if (application) return application;
  failures.spend(who, now);
  throw invalidClient('The client is unknown, or its secret is wrong.', isBasic);
}

function proofOf(request: Request, form: Parameters): Proof {
  const header = request.headers['authorization'] as string | undefined;
  const clientId = single(form, 'client_id');
  const secret = single(form, 'client_secret');
  if (header === undefined) {
    if (clientId === undefined) throw invalidClient('Say which client this is: HTTP Basic, or client_id in the body.', false);
    return { clientId, secret, isBasic: false };
  }
  const basic = basicOf(header);
  if (!basic) throw invalidClient('The Authorization header is not HTTP Basic with client id and secret.', true);
  if (secret !== undefined) throw new Refusal('invalid_request', 'Prove the client in the header or in the body, not in both.');
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw new Refusal('invalid_request', 'client_id differs from the client in the Authorization header.');
  }
  return basic;
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basicOf(header: string): Proof | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/iu.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at < 1) return undefined;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { clientId: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)), isBasic: true };
  } catch {
    return undefined;
  }
}

const invalidClient = (message: string, isBasic: boolean): Refusal =>
  new Refusal('invalid_client', message, isBasic ? { headers: { 'www-authenticate': 'Basic realm="stockroom", charset="UTF-8"' } } : {});
