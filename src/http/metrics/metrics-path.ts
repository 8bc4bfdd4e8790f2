/** Of the socket for settings and of the listener for metrics. Not of the API server: anyone who reaches that could read the figures. */
export const METRICS_PATH = '/metrics';
