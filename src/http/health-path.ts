/** Answers whether the service runs, without a key. */
export const HEALTH_PATH = '/healthz';
