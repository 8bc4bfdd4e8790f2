/** Served on the admin socket and the metrics port, never on the API port, which untrusted clients can reach. */
export const METRICS_PATH = '/metrics';
