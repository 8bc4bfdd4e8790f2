/** Answers whether the service runs, without a key. */
export const HEALTH_PATH = '/healthz';
/** Answers whether requests should be sent to this daemon, without a key. */
export const READY_PATH = '/readyz';

/** These requests are not limited, counted and shown. */
export const isHealthCheck = (path: string): boolean => path === HEALTH_PATH || path === READY_PATH;
