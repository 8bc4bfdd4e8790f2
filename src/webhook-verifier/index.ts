/** For webhook receivers: `import { verifyWebhook } from 'stockroom/webhooks'`. */
export { type VerifiedWebhook, type VerifyOptions, WebhookVerificationError, verifyWebhook } from './verify.ts';
