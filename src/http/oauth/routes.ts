/** The routes of OAuth: pages for people, endpoints and documents for programs. Contract part 5. */
import type { Server } from '@hapi/hapi';
import { OAUTH } from '../../contract/oauth.ts';
import { RECEIVING } from '../receive.ts';
import type { Service } from '../service.ts';
import { answering } from './answers.ts';
import { asPage, authorize, consent, decide } from './authorize.ts';
import { CONSENT_PATH } from './consent-pages.ts';
import { addMetadata } from './metadata.ts';
import { revoke, token } from './token.ts';

export function addOAuth(server: Server, service: Service): void {
  const options = { app: { ownRefusals: true }, ext: RECEIVING } as const;
  server.route([
    { method: 'GET', path: OAUTH.authorize, handler: asPage(service, authorize) },
    { method: 'GET', path: CONSENT_PATH, handler: asPage(service, consent) },
    { method: 'POST', path: CONSENT_PATH, options, handler: asPage(service, decide) },
    { method: 'POST', path: OAUTH.token, options, handler: answering(service, (request) => token(service, request)) },
    { method: 'POST', path: OAUTH.revoke, options, handler: answering(service, (request) => revoke(service, request)) },
  ]);
  addMetadata(server);
}
